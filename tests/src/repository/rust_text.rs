//! Rust source without what is no code.

/// `text` with comments, and the insides of strings where `strings` is false, replaced by spaces. Lines stay lines.
pub(super) fn code(text: &str, strings: bool) -> String {
    let source: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    let blank = |out: &mut String, from: usize, to: usize| {
        out.extend(source[from..to].iter().map(|c| if *c == '\n' { '\n' } else { ' ' }));
    };
    while at < source.len() {
        let rest = &source[at..];
        let end = if rest.starts_with(&['/', '/']) {
            let end = rest.iter().position(|c| *c == '\n').map_or(source.len(), |length| at + length);
            blank(&mut out, at, end);
            end
        } else if rest.starts_with(&['/', '*']) {
            let end = at + block_comment(rest);
            blank(&mut out, at, end);
            end
        } else if let Some(length) = string(rest, at.checked_sub(1).map(|before| source[before])) {
            let end = at + length;
            if strings {
                out.extend(&source[at..end]);
            } else {
                out.push('"');
                blank(&mut out, at + 1, end);
            }
            end
        } else if let Some(length) = character(rest) {
            blank(&mut out, at, at + length);
            at + length
        } else {
            out.push(source[at]);
            at + 1
        };
        at = end;
    }
    out
}

/// Length of the block comment at the start of `text`; such comments nest.
fn block_comment(text: &[char]) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        if text[at..].starts_with(&['/', '*']) {
            depth += 1;
            at += 2;
        } else if text[at..].starts_with(&['*', '/']) {
            depth -= 1;
            at += 2;
            if depth == 0 {
                break;
            }
        } else {
            at += 1;
        }
    }
    at
}

/// Length of the string literal at the start of `text`, if one starts there. `before` is the character before it.
fn string(text: &[char], before: Option<char>) -> Option<usize> {
    if text.first() == Some(&'"') {
        let mut at = 1;
        while at < text.len() && text[at] != '"' {
            at += if text[at] == '\\' { 2 } else { 1 };
        }
        return Some((at + 1).min(text.len()));
    }
    // Raw strings: r, hashes, quote. The r must not be the end of a name, nor the hash that of a raw name (r#type).
    let starts_name = before.is_some_and(|c| (c.is_alphanumeric() && c != 'b' && c != 'c') || c == '_');
    if text.first() != Some(&'r') || starts_name {
        return None;
    }
    let hashes = text[1..].iter().take_while(|c| **c == '#').count();
    if text.get(1 + hashes) != Some(&'"') {
        return None;
    }
    let mut at = 2 + hashes;
    while at < text.len() {
        if text[at] == '"' && text[at + 1..].iter().take(hashes).filter(|c| **c == '#').count() == hashes {
            return Some(at + 1 + hashes);
        }
        at += 1;
    }
    Some(text.len())
}

/// Length of the character literal at the start of `text`; a lifetime is none.
fn character(text: &[char]) -> Option<usize> {
    if text.first() != Some(&'\'') {
        return None;
    }
    if text.get(1) == Some(&'\\') {
        return text[2..].iter().skip(1).position(|c| *c == '\'').map(|length| length + 4);
    }
    (text.get(2) == Some(&'\'')).then_some(3)
}

/// The names in `code`, each with its line from 1.
pub(super) fn names(code: &str) -> impl Iterator<Item = (usize, &str)> {
    code.lines().enumerate().flat_map(|(index, line)| {
        line.split(|c: char| !c.is_alphanumeric() && c != '_')
            .filter(|name| !name.is_empty())
            .map(move |name| (index + 1, name))
    })
}

/// The words of a name in lower case: `PlanBarrier` and `plan_barrier` are both `plan`, `barrier`.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut previous = '_';
    for c in name.chars() {
        if c == '_' {
            previous = c;
            continue;
        }
        let starts = previous == '_' || (c.is_uppercase() && !previous.is_uppercase());
        match words.last_mut() {
            Some(word) if !starts => word.extend(c.to_lowercase()),
            _ => words.push(c.to_lowercase().collect()),
        }
        previous = c;
    }
    words
}

#[test]
fn comments_strings_and_characters_are_no_code() {
    let text = "let a = \"un//safe\"; // unsafe\n/* unsafe /* b */ */ r#\"unsafe \" \"#; '\\'' 'x' &'static x;";
    let bare = code(text, false);
    assert!(!bare.contains("safe"), "{bare}");
    assert_eq!(bare.lines().count(), 2);
    assert!(bare.contains("let a =") && bare.contains("&'static x;"), "{bare}");
    assert!(code(text, true).contains("un//safe"), "strings are kept on request");
    assert_eq!(code("let r#type = br\"a\";", false).trim_end(), "let r#type = b\"  ;".replace("  ;", "   ;"));
}

#[test]
fn names_fall_into_words() {
    assert_eq!(words("VkBarrier"), ["vk", "barrier"]);
    assert_eq!(words("VK_FORMAT_R8"), ["vk", "format", "r8"]);
    assert_eq!(words("to_vulkan"), ["to", "vulkan"]);
    assert_eq!(words("nvnQueue"), ["nvn", "queue"]);
    assert_eq!(words("hash"), ["hash"]);
}
