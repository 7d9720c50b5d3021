//! What the validation layer says: counted, kept, and weighed against a list of known false ones.

use std::collections::HashMap;
use std::sync::Mutex;

/// A message that is known to be wrong or of no consequence here, with the reason.
#[derive(Debug, Clone, Copy)]
pub struct Allowed {
    /// Part of the message id name, for example `VUID-VkImageMemoryBarrier2-image-09117`.
    pub id: &'static str,
    /// Part of the text; empty = any.
    pub text: &'static str,
    /// Why it may be ignored.
    pub reason: &'static str,
}

/// The list. Debian's layer is 1.3.239 and predates several extensions in use.
pub const ALLOWED: &[Allowed] = &[
    Allowed {
        id: "VUID-VkDeviceCreateInfo-pNext-pNext",
        text: "unknown VkStructureType",
        reason: "the layer is older than the extension whose feature structure is chained",
    },
    Allowed {
        id: "VUID_Undefined",
        text: "is not supported by this layer",
        reason: "the layer is older than the extension",
    },
    Allowed {
        id: "VUID-vkCmdPipelineBarrier2-None-06191",
        text: "dynamic render pass instance is active",
        reason: "the layer predates VK_KHR_dynamic_rendering_local_read, which allows it; without that extension none is recorded",
    },
    Allowed { id: "UNASSIGNED-BestPractices", text: "", reason: "performance advice, not a fault" },
    Allowed { id: "Loader Message", text: "", reason: "the loader's own report on drivers that it skips" },
];

/// Severity of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)] // The names say it.
pub enum Severity {
    Warning,
    Error,
}

/// Where messages go.
#[derive(Debug, Default)]
pub struct Messages {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    errors: u32,
    warnings: u32,
    allowed: HashMap<&'static str, u32>,
    texts: Vec<String>,
}

impl Messages {
    /// Texts kept; more are only counted.
    const KEPT: usize = 64;

    /// Takes a message.
    pub fn take(&self, severity: Severity, id: &str, text: &str) {
        // A panic while the lock was held leaves only counters: they are still good.
        let mut inner = self.inner.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(entry) = ALLOWED.iter().find(|a| id.contains(a.id) && text.contains(a.text)) {
            *inner.allowed.entry(entry.id).or_default() += 1;
            return;
        }
        match severity {
            Severity::Warning => inner.warnings += 1,
            Severity::Error => inner.errors += 1,
        }
        if inner.texts.len() < Self::KEPT {
            inner.texts.push(format!("{severity:?} {id}: {text}"));
        }
        match severity {
            Severity::Warning => tracing::warn!(target: "vulkan::validation", id, text),
            Severity::Error => tracing::error!(target: "vulkan::validation", id, text),
        }
    }

    /// Errors so far, without the allowed ones.
    #[must_use]
    pub fn errors(&self) -> u32 {
        self.inner.lock().unwrap_or_else(std::sync::PoisonError::into_inner).errors
    }

    /// Warnings so far, without the allowed ones.
    #[must_use]
    pub fn warnings(&self) -> u32 {
        self.inner.lock().unwrap_or_else(std::sync::PoisonError::into_inner).warnings
    }

    /// The first messages, as text.
    #[must_use]
    pub fn texts(&self) -> Vec<String> {
        self.inner.lock().unwrap_or_else(std::sync::PoisonError::into_inner).texts.clone()
    }

    /// How often each entry of the list was met, with its reason.
    #[must_use]
    pub fn allowed(&self) -> Vec<(&'static Allowed, u32)> {
        let inner = self.inner.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        ALLOWED.iter().filter_map(|a| inner.allowed.get(a.id).map(|n| (a, *n))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allowed_messages_do_not_count() {
        let sink = Messages::default();
        sink.take(Severity::Error, "VUID-VkDeviceCreateInfo-pNext-pNext", "has unknown VkStructureType value 5");
        assert_eq!(sink.errors(), 0);
        assert_eq!(sink.allowed().len(), 1);
        sink.take(Severity::Error, "VUID-vkCmdDraw-None-02699", "descriptor");
        assert_eq!((sink.errors(), sink.texts().len()), (1, 1));
    }
}
