//! The demo title in a window of a display server of its own: shown, resized, inspected, frozen, exported, closed.
//!
//! Needs `Xvfb`; without it, or without a Vulkan device, the tests say so and pass.

#[allow(dead_code)] // Shared with the other tests, which use all of it.
mod golden;

use golden::Picture;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{
    AtomEnum, ClientMessageEvent, ConfigureWindowAux, ConnectionExt as _, EventMask, ImageFormat, InputFocus, Window,
};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;

const SCREEN: (u16, u16) = (1400, 900);
/// The slowest machine draws a frame of the title on a software driver in this time.
const PATIENCE: Duration = Duration::from_secs(240);

/// Ends with the test.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn title() -> PathBuf {
    let out = root().join("target/titles/island");
    if !titles::is_current(&root(), "island", &out) {
        titles::build(&root(), "island", &out).unwrap_or_else(|e| panic!("{e}"));
    }
    out
}

struct Display {
    name: String,
    connection: RustConnection,
    root: Window,
    _server: Process,
}

/// A key by its code in the X server: the kernel's code and 8.
#[derive(Clone, Copy)]
enum Key {
    /// No key of the program or of the pad.
    P = 25 + 8,
    F1 = 59 + 8,
    F2 = 60 + 8,
    F3 = 61 + 8,
    F4 = 62 + 8,
}

impl Display {
    fn open() -> Option<Self> {
        let mut server = Command::new("Xvfb");
        server.args(["-displayfd", "1", "-nolisten", "tcp", "-screen", "0"]);
        server.arg(format!("{}x{}x24", SCREEN.0, SCREEN.1));
        let Ok(mut server) = server.stdout(Stdio::piped()).stderr(Stdio::null()).spawn() else {
            eprintln!("skipped: there is no Xvfb on this machine");
            return None;
        };
        let output = server.stdout.take().expect("piped");
        let server = Process(server);
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line).expect("the server's number");
        let name = format!(":{}", line.trim());
        let (connection, screen) = RustConnection::connect(Some(&name)).expect("the server answers");
        let root = connection.setup().roots[screen].root;
        Some(Self { name, connection, root, _server: server })
    }

    fn play(&self, arguments: &[&str]) -> Process {
        let mut program = Command::new(env!("CARGO_BIN_EXE_ferrograph"));
        program.arg("play").arg(title()).args(arguments);
        program.env("DISPLAY", &self.name).env_remove("WAYLAND_DISPLAY");
        Process(program.stderr(Stdio::piped()).spawn().expect("the program starts"))
    }

    /// The program's window, once it is there; `None` where the program ended instead, for want of a Vulkan device.
    fn window(&self, program: &mut Process) -> Option<Window> {
        let began = Instant::now();
        loop {
            let tree = self.connection.query_tree(self.root).expect("sent").reply().expect("a tree");
            for window in tree.children {
                let name = self.connection.get_property(false, window, AtomEnum::WM_NAME, AtomEnum::ANY, 0, 100);
                let name = name.expect("sent").reply().map(|r| r.value).unwrap_or_default();
                if String::from_utf8_lossy(&name).contains("Ferrograph") {
                    return Some(window);
                }
            }
            if let Some(status) = program.0.try_wait().expect("a process") {
                let mut words = String::new();
                std::io::Read::read_to_string(&mut program.0.stderr.take().expect("piped"), &mut words).expect("text");
                assert!(words.contains("no usable Vulkan device"), "{status}: {words}");
                eprintln!("skipped: {words}");
                return None;
            }
            assert!(began.elapsed() < PATIENCE, "no window came");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// A rectangle of the root window: x, y, width, height.
    fn picture(&self, [x, y, w, h]: [u16; 4]) -> Picture {
        let image = self.connection.get_image(ImageFormat::Z_PIXMAP, self.root, x as i16, y as i16, w, h, u32::MAX);
        let data = image.expect("sent").reply().expect("a picture").data;
        let pixels = data.chunks_exact(4).map(|t| [t[2], t[1], t[0]]).collect();
        Picture { width: w.into(), height: h.into(), pixels }
    }

    /// Waits until a rectangle of the root window is as wanted.
    fn until(&self, what: &str, area: [u16; 4], wanted: impl Fn(&Picture) -> bool) -> Picture {
        let began = Instant::now();
        loop {
            let picture = self.picture(area);
            if wanted(&picture) {
                return picture;
            }
            if began.elapsed() > PATIENCE {
                let path = root().join("target/window-test.png");
                write(&path, &self.picture([0, 0, SCREEN.0, SCREEN.1]));
                panic!("never seen: {what}; the screen is in {}", path.display());
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// Waits until a rectangle does not change any more.
    fn still(&self, area: [u16; 4]) -> Picture {
        let mut still = self.picture(area);
        let began = Instant::now();
        let mut since = Instant::now();
        while since.elapsed() < Duration::from_secs(4) {
            assert!(began.elapsed() < PATIENCE, "the game does not hold still");
            std::thread::sleep(Duration::from_millis(100));
            let now = self.picture(area);
            if now.pixels != still.pixels {
                (still, since) = (now, Instant::now());
            }
        }
        still
    }

    fn press(&self, window: Window, key: Key) {
        self.connection.set_input_focus(InputFocus::PARENT, window, x11rb::CURRENT_TIME).expect("sent");
        self.connection.flush().expect("sent");
        std::thread::sleep(Duration::from_millis(500));
        for kind in [2, 3] {
            self.connection.xtest_fake_input(kind, key as u8, 0, self.root, 0, 0, 0).expect("sent");
            self.connection.flush().expect("sent");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn resize(&self, window: Window, width: u32, height: u32) {
        let size = ConfigureWindowAux::new().x(0).y(0).width(width).height(height);
        self.connection.configure_window(window, &size).expect("sent");
        self.connection.flush().expect("sent");
    }

    /// What a window manager sends when the user closes a window.
    fn close(&self, window: Window) {
        let atom = |name: &str| {
            self.connection.intern_atom(false, name.as_bytes()).expect("sent").reply().expect("an atom").atom
        };
        let data = [atom("WM_DELETE_WINDOW"), 0, 0, 0, 0];
        let event = ClientMessageEvent::new(32, window, atom("WM_PROTOCOLS"), data);
        self.connection.send_event(false, window, EventMask::NO_EVENT, event).expect("sent");
        self.connection.flush().expect("sent");
    }
}

fn write(path: &Path, picture: &Picture) {
    let file = std::fs::File::create(path).expect("target folder");
    let mut encoder = png::Encoder::new(file, picture.width as u32, picture.height as u32);
    encoder.set_color(png::ColorType::Rgb);
    let bytes: Vec<u8> = picture.pixels.iter().flatten().copied().collect();
    encoder.write_header().and_then(|mut w| w.write_image_data(&bytes)).expect("a file");
}

fn mean(picture: &Picture) -> [f64; 3] {
    let sum =
        picture.pixels.iter().fold([0.0; 3], |sum: [f64; 3], p| std::array::from_fn(|n| sum[n] + f64::from(p[n])));
    sum.map(|v| v / picture.pixels.len() as f64)
}

/// Whether a rectangle is all of one dark colour, near the one given.
fn is_dark(picture: &Picture, color: [f64; 3]) -> bool {
    mean(picture).iter().zip(color).all(|(a, b)| (a - b).abs() < 6.0)
}

#[test]
fn gpu_a_title_plays_in_a_window_that_is_resized_inspected_and_closed() {
    let Some(display) = Display::open() else { return };
    let exports = tempfile::tempdir().expect("a folder");
    let mut program = display.play(&["--export-dir", exports.path().to_str().expect("UTF-8")]);
    let Some(window) = display.window(&mut program) else { return };
    display.resize(window, 1280, 720);

    // The first frames of the title, in the colours of its golden picture.
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/pictures/frame_0000.png");
    let golden = Picture::read_png(&golden).unwrap_or_else(|e| panic!("{e}"));
    let like = |p: &Picture| p.difference(&golden, 24, |_, _| false);
    let seen = display.until("the title's picture", [0, 0, 1280, 720], |p| like(p).mean < 12.0);
    eprintln!("the window differs from the golden picture by {:.2}/255 in the mean", like(&seen).mean);

    // A window of another shape: the picture keeps its own, with bars above and below.
    display.resize(window, 900, 800);
    let (bar, height) = (146, 506);
    display.until("a bar above the picture", [0, 0, 900, bar], |p| is_dark(p, [0.0; 3]));
    display.until("a bar below the picture", [0, bar + height + 2, 900, bar], |p| is_dark(p, [0.0; 3]));
    let sky = mean(&display.until("the sky", [300, bar + 4, 500, 60], |p| mean(p)[0] > 60.0));
    assert!(sky[0] > sky[1], "an evening sky: {sky:?}");
    display.resize(window, 1280, 720);
    display.until("the picture in its old size", [0, 0, 1280, 720], |p| like(p).mean < 20.0);

    // The first key of a new keyboard is spent on its map.
    display.press(window, Key::P);

    // The overlay covers the lower part in its own colour.
    let panel = [2, 690, 6, 26];
    display.press(window, Key::F1);
    display.until("the overlay", panel, |p| is_dark(p, [21.0, 23.0, 28.0]));

    // Frozen, the picture stays, and the overlay leaves it alone outside its panel; a step changes it.
    let sky = [300, 4, 600, 100];
    display.press(window, Key::F3);
    let under = display.still(sky);
    display.press(window, Key::F1);
    display.until("no overlay", panel, |p| !is_dark(p, [21.0, 23.0, 28.0]));
    assert!(display.picture(sky).pixels == under.pixels, "the overlay changed what it does not cover");
    let clock = [1060, 620, 220, 90];
    let still = display.still(clock);
    display.press(window, Key::F4);
    display.until("the next frame", clock, |p| p.pixels != still.pixels);

    // The graph of a running game.
    display.press(window, Key::F3);
    display.press(window, Key::F2);
    let began = Instant::now();
    let page = loop {
        let found = std::fs::read_dir(exports.path()).expect("a folder").next();
        if let Some(entry) = found {
            break entry.expect("a file").path();
        }
        assert!(began.elapsed() < PATIENCE, "no frame was exported");
        std::thread::sleep(Duration::from_millis(100));
    };
    assert!(page.file_name().is_some_and(|n| n.to_string_lossy().ends_with(".html")), "{}", page.display());

    display.close(window);
    let began = Instant::now();
    loop {
        if let Some(status) = program.0.try_wait().expect("a process") {
            assert!(status.success(), "closing the window ends the title cleanly: {status}");
            break;
        }
        assert!(began.elapsed() < PATIENCE, "the program does not end");
        std::thread::sleep(Duration::from_millis(50));
    }
    let text = std::fs::read_to_string(&page).expect("a page");
    assert!(text.contains("<html") && text.contains("gAlbedo"), "the page is whole");
}

#[test]
fn gpu_a_window_ends_after_the_frames_that_were_asked_for() {
    let Some(display) = Display::open() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let shot = folder.path().join("last.png");
    let mut program = display.play(&["--frames", "2", "--overlay", "--screenshot", shot.to_str().expect("UTF-8")]);
    if display.window(&mut program).is_none() {
        return;
    }
    let status = program.0.wait().expect("a process");
    assert!(status.success(), "{status}");
    assert_eq!(Picture::read_png(&shot).map(|p| p.width), Ok(1280));
}

#[test]
fn gpu_a_display_that_is_not_there_is_said_in_words() {
    let program = Command::new(env!("CARGO_BIN_EXE_ferrograph"))
        .arg("play")
        .arg(title())
        .env("DISPLAY", ":250")
        .env_remove("WAYLAND_DISPLAY")
        .output()
        .expect("the program starts");
    let words = String::from_utf8_lossy(&program.stderr);
    assert_eq!(program.status.code(), Some(1), "{words}");
    assert!(words.contains("the display cannot be used") && words.contains("--headless"), "{words}");
}
