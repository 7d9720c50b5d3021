//! `ferrograph play`: lifts a title when its build is missing or stale, boots it, draws it.

use crate::cli::PlayArguments;
use crate::failure::{Failure, read_file};
use crate::folders;
use crate::leave::leave as leave_now;
use crate::output::Output;
use crate::profile::Profile;
use crate::recomp_command;
use crate::replay::{Stats, check_apart, frame_bar, graph_options, leave};
use crate::title::Title;
use crate::trace_command;
use crate::window;
use ferrograph::graph::Graph;
use ferrograph::sink::{GraphSink, Keyframes, Recording, SinkError};
use ferrograph_guest::boot::{BootError, Guest, Options};
use ferrograph_guest::fault::Exit;
use ferrograph_guest::memory::{GuestMemory, MemoryOptions};
use ferrograph_guest::npdm::Npdm;
use ferrograph_guest::process::Process;
use ferrograph_guest::registry::HostRegistry;
use ferrograph_guest::time::TimeMode;
use ferrograph_guest::title::TitleDir;
use ferrograph_media::input::{Gamepads, Keyboard, KeyboardMap, KeyboardPad, PadSet, PadSource, Script, ScriptPad};
use ferrograph_nvn::Nvn;
use ferrograph_vulkan::DeviceOptions;
use indicatif::ProgressBar;
use nvn_decode::trace::{RecordingMemory, TraceError, TraceWriter};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Where the trace goes, and the guest memory that feeds it.
type OpenTrace = Arc<Mutex<TraceWriter<BufWriter<File>>>>;

fn profile_of(title: &Title, arguments: &PlayArguments) -> Result<Profile, Failure> {
    let npdm = read_file(&title.dir.join("exefs/main.npdm"))?;
    let npdm = Npdm::parse(&npdm)
        .map_err(|e| Failure::input(format!("{}: {e}", title.dir.join("exefs/main.npdm").display())))?;
    let mut profile = title.profile(arguments.profile.as_deref(), npdm.program_id)?;
    for assignment in &arguments.run.sets {
        profile.set(assignment)?;
    }
    Ok(profile)
}

/// Begins a recording; it gets its place when the title runs.
fn open_trace(path: &Path, profile: &Profile) -> Result<(OpenTrace, Output), Failure> {
    let output = Output::create(path)?;
    let file = output.file()?;
    let facts = BTreeMap::from([
        ("title".to_owned(), profile.name.clone()),
        ("title id".to_owned(), profile.title_id.clone()),
        ("recorded by".to_owned(), format!("ferrograph {}", env!("CARGO_PKG_VERSION"))),
    ]);
    let trace = TraceWriter::new(BufWriter::new(file), &facts).map_err(|error| trace_command::named(path, error))?;
    Ok((Arc::new(Mutex::new(trace)), output))
}

fn boot_failure(error: BootError) -> Failure {
    if error.status() == 2 { Failure::input(error) } else { Failure::could(error) }
}

/// What stopped the sink, with the path of the recording where that did.
fn stopped(error: SinkError, record: Option<&Path>) -> Failure {
    match (error, record) {
        (SinkError::Trace(error), Some(path)) => trace_command::named(path, error),
        (error, _) => Failure::could(error),
    }
}

/// A title that is ready to be booted.
pub(crate) struct Prepared {
    pub(crate) profile: Profile,
    lifted: PathBuf,
    parts: TitleDir,
    script: Option<Script>,
}

/// How a run ended: by the title, or (`None`) from outside.
pub(crate) type Ended = Option<Exit>;

/// A running title.
pub(crate) struct Session {
    pub(crate) sink: GraphSink,
    guest: Arc<Guest>,
    /// Set when the run is to end from outside.
    done: Arc<AtomicBool>,
    failure: Arc<Mutex<Option<Failure>>>,
    bar: ProgressBar,
    trace: Option<OpenTrace>,
    /// Path of the recording.
    record: Option<PathBuf>,
    nvn: Option<Arc<Nvn>>,
    began: Instant,
    device: String,
    profile: Profile,
    /// Read as long as the title runs.
    _gamepads: Option<Gamepads>,
}

/// `play`.
pub(crate) fn run(arguments: &PlayArguments) -> Result<(), Failure> {
    check_apart(&arguments.run, ("--record", arguments.record.as_deref()))?;
    let title = Title::open(&arguments.dir)?;
    let profile = profile_of(&title, arguments)?;
    let script = match &arguments.input {
        Some(path) => Some(Script::load(path).map_err(Failure::input)?),
        None => None,
    };
    for issue in &profile.known_issues {
        tracing::warn!("known of this title: {issue}");
    }
    let lifted = recomp_command::ensure(&title, 2, None)?;
    let parts = TitleDir::open(&title.dir).map_err(Failure::input)?;
    let prepared = Prepared { profile, lifted, parts, script };
    if !arguments.run.headless && window::has_display() {
        return window::run(arguments, prepared);
    }
    let mut session = Session::start(arguments, prepared, DeviceOptions::default(), None, |_| Ok(()))?;
    let ended = session.wait();
    finish(arguments, &mut session, ended)
}

/// The script alone where there is one, so that a run with it repeats; else the keyboard of the window and the machine's pads.
fn pads(script: Option<Script>, keyboard: Option<&Keyboard>) -> (Box<dyn PadSource>, Option<Gamepads>) {
    let mut pads = PadSet::new();
    let mut devices = None;
    if let Some(script) = script {
        pads.add(Box::new(ScriptPad(script)));
    } else if let Some(keyboard) = keyboard {
        pads.add(Box::new(KeyboardPad::new(keyboard.clone(), KeyboardMap::default())));
        let opened = Gamepads::open(Path::new("/dev/input"));
        opened.sources().for_each(|pad| pads.add(pad));
        devices = Some(opened);
    }
    (Box::new(pads), devices)
}

impl Session {
    /// Boots a title. `device` says what a window needs of the device; `with_graph` is run before the title starts; `keyboard` is the window's.
    pub(crate) fn start(
        arguments: &PlayArguments,
        prepared: Prepared,
        device: DeviceOptions,
        keyboard: Option<&Keyboard>,
        with_graph: impl FnOnce(&mut Graph) -> Result<(), Failure>,
    ) -> Result<Self, Failure> {
        let Prepared { profile, lifted, parts, script } = prepared;
        let memory = Arc::new(GuestMemory::new(&MemoryOptions::default()).map_err(Failure::could)?);
        let registry = Arc::new(HostRegistry::new(memory.layout().host_text));
        let trace = arguments.record.as_deref().map(|path| open_trace(path, &profile)).transpose()?;
        let (trace, recorded) = trace.unzip();
        let (decoder_memory, recording) = match &trace {
            None => (nvn_decode::memory::Guest { memory: memory.clone(), tracking: memory.clone() }, None),
            Some(trace) => {
                let tee = Arc::new(RecordingMemory::new(memory.clone(), trace.clone()));
                let guest = nvn_decode::memory::Guest { memory: tee.clone(), tracking: tee.clone() };
                let held = tee.clone();
                let recording = Recording::new(
                    trace.clone(),
                    Box::new(move || tee.take_page_records()),
                    Box::new(move |ranges| held.held_page_records(ranges)),
                    Keyframes { frames: arguments.keyframes.clone(), every: arguments.keyframe_every },
                );
                (guest, Some(recording))
            }
        };
        let mut options = graph_options(&arguments.run, &profile);
        options.device.instance_extensions = device.instance_extensions;
        let mut graph = Graph::new(&options, decoder_memory).map_err(Failure::could)?;
        with_graph(&mut graph)?;
        let device = graph.device().name.clone();
        let sink = GraphSink::new(graph, recording);
        let api = ferrograph_nvn::Options {
            api_major: profile.api.major,
            api_minor: profile.api.minor,
            ..ferrograph_nvn::Options::default()
        };
        let nvn = Arc::new(Nvn::new(api, Box::new(sink.clone())));
        ferrograph_nvn::guest::register(&registry, &nvn);

        let done = Arc::new(AtomicBool::new(false));
        let process: Arc<OnceLock<Arc<Process>>> = Arc::default();
        let bar = frame_bar(arguments.frames);
        {
            let (done, process, bar, limit) = (done.clone(), process.clone(), bar.clone(), arguments.frames);
            sink.set_on_frame(Box::new(move |_, frame| {
                bar.inc(1);
                process.wait().next_frame();
                let last = limit.is_some_and(|limit| frame + 1 >= limit);
                if last {
                    done.store(true, Ordering::Release);
                }
                !last
            }));
        }
        let fixed = arguments.fixed_step || keyboard.is_none();
        let time = if fixed { TimeMode::FixedStep } else { TimeMode::Real };
        let began = Instant::now();
        let (pads, gamepads) = pads(script, keyboard);
        // A run that repeats starts without save data, and leaves none.
        let saves = if time == TimeMode::Real { saves_folder() } else { None };
        let options = Options { time, pads: Some(pads), saves, ..Options::default() };
        let guest = Arc::new(Guest::boot_in(memory, parts, &lifted, registry, options).map_err(boot_failure)?);
        recorded.map_or(Ok(()), Output::keep)?;
        // Nobody else sets it.
        let _ = process.set(Arc::clone(guest.process()));
        end_on_signals(&done);
        let failure = Arc::default();
        Ok(Self {
            sink,
            guest,
            done,
            failure,
            bar,
            trace,
            record: arguments.record.clone(),
            nvn: Some(nvn),
            began,
            device,
            profile,
            _gamepads: gamepads,
        })
    }

    /// Waits until the title ends, its frames are done, it is asked to end, or something fails; nothing of the title runs afterwards.
    pub(crate) fn wait(&self) -> Result<Ended, Failure> {
        wait(&self.guest, &self.sink, &self.done, &self.failure, self.record.as_deref())
    }

    /// Waits on a thread of its own, which tells how it ended.
    pub(crate) fn watch(&self, tell: impl FnOnce(Result<Ended, Failure>) + Send + 'static) {
        let (guest, sink) = (Arc::clone(&self.guest), self.sink.clone());
        let (done, failure, record) = (Arc::clone(&self.done), Arc::clone(&self.failure), self.record.clone());
        std::thread::spawn(move || tell(wait(&guest, &sink, &done, &failure, record.as_deref())));
    }

    /// The run is to end: the window was closed. Returns at once.
    pub(crate) fn ask_end(&self) {
        self.done.store(true, Ordering::Release);
    }

    /// The run is to end with a failure. Returns at once.
    pub(crate) fn fail(&self, failure: Failure) {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(failure);
    }
}

/// Ends the run as closing a window does when the user or the system asks for it (SIGINT, SIGTERM, SIGHUP); at once when asked again.
fn end_on_signals(done: &Arc<AtomicBool>) {
    /// The status that shells give to a program that SIGINT ended.
    const INTERRUPTED: u8 = 130;
    let (done, mut asked) = (Arc::clone(done), false);
    let set = ctrlc::set_handler(move || {
        if std::mem::replace(&mut asked, true) {
            leave_now(INTERRUPTED);
        }
        done.store(true, Ordering::Release);
    });
    if let Err(error) = set {
        tracing::warn!("signals end the run at once: {error}");
    }
}

fn wait(
    guest: &Guest,
    sink: &GraphSink,
    done: &AtomicBool,
    failure: &Mutex<Option<Failure>>,
    record: Option<&Path>,
) -> Result<Ended, Failure> {
    loop {
        if let Some(exit) = guest.wait_for(Duration::from_millis(20)) {
            return Ok(Some(exit));
        }
        if done.load(Ordering::Acquire) {
            sink.close();
            guest.stop();
            return Ok(None);
        }
        let failed = failure.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(failure) = failed.or_else(|| sink.take_error().map(|error| stopped(error, record))) {
            sink.close();
            guest.stop();
            return Err(failure);
        }
    }
}

/// Leaves behind what the run was asked for; of one that failed, its recording up to there.
pub(crate) fn finish(
    arguments: &PlayArguments,
    session: &mut Session,
    ended: Result<Ended, Failure>,
) -> Result<(), Failure> {
    let sink = &session.sink;
    session.bar.finish_and_clear();
    let ended = ended.and_then(|ended| match sink.take_error() {
        Some(error) => Err(stopped(error, arguments.record.as_deref())),
        None => Ok(ended),
    });
    sink.end_recording();
    let recorded = match session.trace.take() {
        Some(trace) => {
            drop(session.nvn.take());
            finish_trace(trace).map_err(|error| stopped(error.into(), arguments.record.as_deref()))
        }
        None => Ok(()),
    };
    // What made the run fail is what there is to say, also where its recording could not be ended for the same reason.
    let ended = ended?;
    recorded?;
    let totals = sink.totals();
    let seconds = session.began.elapsed().as_secs_f64();
    let mut stats = Stats {
        device: session.device.clone(),
        frames: totals.frames,
        seconds,
        seconds_per_frame: seconds / totals.frames.max(1) as f64,
        hazards: totals.hazard_count,
        hazard_words: totals.hazards,
        planted: totals.planted,
        missed: totals.missed,
        diagnostics: totals.diagnostics,
        ..Stats::default()
    };
    sink.with_graph(|graph| {
        graph.finish().map_err(Failure::could)?;
        if stats.frames == 0 {
            return Ok(());
        }
        leave(&arguments.run, &session.profile, graph, &mut stats)
    })?;
    match ended {
        None | Some(Exit::Finished { status: 0 }) => Ok(()),
        Some(Exit::Fault(report)) => Err(Failure::could(report)),
        Some(Exit::Finished { status }) => {
            tracing::error!("the title ended itself with status {status}");
            Err(Failure::Title(1))
        }
    }
}

/// Where titles keep their save data: the user's data folder.
fn saves_folder() -> Option<PathBuf> {
    Some(folders::data()?.join("ferrograph/saves"))
}

/// Writes the index of a trace. Others may still hold it for a moment (guest threads that are ending); the writer is taken out from under them.
fn finish_trace(trace: OpenTrace) -> Result<(), TraceError> {
    trace.lock().unwrap_or_else(PoisonError::into_inner).finish()
}
