//! Loops over `next` in C (`asktell.c`), C++ and Python are killed at any moment and go on by the same command line: what they
//! said to be saved is saved, nothing is tried twice but what was open, and their end is the same.
//!
//! A question is saved before it is tried and a value before it is said to be saved, so that all a kill may take is
//! the value of the one trial that is being evaluated or told; its question is still open in the file.

#![cfg(unix)]

use std::ffi::OsString;
use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use infill::{Optimizer, State};
use infill_tests::native::{Build, Library, has, root, run, scratch, text};
use infill_tests::random::SplitMix64;

/// Of each language, in the tests of every day.
const KILLS: u32 = 12;
/// Of all languages together, in those that take longer, unless INFILL_KILLS says how many.
const MANY: u32 = 500;
const EVALUATIONS: usize = 24;
/// The most looks at the output between a line and a kill: about as long as an evaluation with its two saves.
const LOOKS: u64 = 400;
const SIGKILL: i32 = 9;

/// What a trial is, as bits: its point and, once told, its value.
type Record = ([u64; 2], Option<u64>);

/// How a loop is started: a program with its first arguments, and its environment.
#[derive(Clone, Debug)]
struct Program {
    words: Vec<OsString>,
    environment: Vec<(&'static str, OsString)>,
}

impl Program {
    fn new(path: PathBuf) -> Self {
        Self { words: vec![path.into()], environment: Vec::new() }
    }
}

/// A program in a folder of its own.
struct Run {
    program: Program,
    folder: PathBuf,
    evaluations: usize,
    /// A library that is loaded before others, and its setting.
    preload: Option<(PathBuf, u32)>,
}

impl Run {
    fn new(program: &Program, name: &str, evaluations: usize) -> Self {
        let folder = scratch("kill").join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("the target folder can be written");
        Self { program: program.clone(), folder, evaluations, preload: None }
    }

    fn file(&self) -> PathBuf {
        self.folder.join("run")
    }

    fn command(&self, milliseconds: u32) -> Command {
        let Program { words, environment } = &self.program;
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).envs(environment.iter().map(|(name, value)| (name, value)));
        command.current_dir(&self.folder).arg("run");
        command.args([self.evaluations.to_string(), milliseconds.to_string()]);
        if let Some((library, moment)) = &self.preload {
            command.env("LD_PRELOAD", library).env("KILL_AT", moment.to_string());
        }
        command
    }

    /// Starts it with its output in a file, where a kill cannot touch what is already out.
    fn start(&self, milliseconds: u32) -> Child {
        let log = File::create(self.folder.join("log")).expect("the folder can be written");
        self.command(milliseconds).stdout(log).stderr(Stdio::null()).spawn().expect("the program starts")
    }

    /// Whether a save was begun and not ended. What is left of it is removed: Python's has another name each time.
    fn clear(&self) -> bool {
        let entries =
            fs::read_dir(&self.folder).expect("it was started").map(|entry| entry.expect("an entry"));
        let left: Vec<_> =
            entries.filter(|entry| entry.path().extension().is_some_and(|e| e == "new")).collect();
        left.iter().for_each(|entry| fs::remove_file(entry.path()).expect("it is there"));
        !left.is_empty()
    }

    /// The whole lines of the last start.
    fn log(&self) -> Vec<Line> {
        let text = fs::read_to_string(self.folder.join("log")).expect("it was started");
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        whole.lines().map(Line::parse).collect()
    }

    /// All trials in the file, in the order of their questions; nothing if there is no file.
    ///
    /// Fails if there is one that is not whole.
    fn records(&self) -> Option<Vec<Record>> {
        let bytes = fs::read(self.file()).ok()?;
        assert_eq!(bytes.len() % 8, 0);
        let words = bytes.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().expect("8 bytes")));
        let optimizer = Optimizer::<f64, Vec<u64>>::attach(words.collect()).expect("the file is whole");
        let mut trials: Vec<_> = optimizer.trials().collect();
        trials.sort_by_key(|trial| trial.sequence);
        let record = |trial: &infill::Trial<'_, f64>| {
            let point = [trial.point[0].to_bits(), trial.point[1].to_bits()];
            (point, (trial.state == State::Done).then(|| trial.value.to_bits()))
        };
        Some(trials.iter().map(record).collect())
    }
}

/// A line of output.
#[derive(Debug, PartialEq)]
enum Line {
    Try([u64; 2]),
    Saved([u64; 2], u64),
    Best,
}

impl Line {
    fn parse(line: &str) -> Self {
        let mut words = line.split_whitespace();
        let word = words.next();
        // 17 digits give back the bits.
        let numbers: Vec<u64> = words.map(|w| w.parse::<f64>().expect("a number").to_bits()).collect();
        match (word, &numbers[..]) {
            (Some("try"), &[x, y]) => Self::Try([x, y]),
            (Some("saved"), &[x, y, value]) => Self::Saved([x, y], value),
            (Some("best"), &[_, _, _]) => Self::Best,
            _ => panic!("{line}"),
        }
    }
}

fn told(records: &[Record]) -> usize {
    records.iter().filter(|(_, value)| value.is_some()).count()
}

fn asktell(library: &Library) -> Program {
    let source = root().join("ffi/examples/asktell.c");
    let flags = ["-std=c99", "-D_POSIX_C_SOURCE=200809L"];
    Program::new(library.program("gcc", &flags, &[source], "kill-asktell"))
}

/// The loops, each with the name of its language: those that can be built here.
fn loops() -> Vec<(&'static str, Program)> {
    let library = Library::build(Build::Plain);
    let mut all = Vec::new();
    if has("gcc") {
        all.push(("C", asktell(&library)));
    }
    if has("g++") {
        let source = root().join("tests/kill/loop.cpp");
        all.push(("C++", Program::new(library.program("g++", &["-std=c++17"], &[source], "kill-loop"))));
    }
    if has("python3") {
        let environment = vec![
            ("INFILL_LIBRARY", library.shared().into()),
            ("PYTHONPATH", root().join("ffi/python").into()),
            // Nothing is left in the tree.
            ("PYTHONPYCACHEPREFIX", scratch("kill").join("pycache").into()),
        ];
        let words = vec!["python3".into(), root().join("tests/kill/loop.py").into()];
        all.push(("Python", Program { words, environment }));
    }
    all
}

/// What must hold after a start that ended somehow, given what the file held before and what it holds in the end.
///
/// Returns how many evaluations were lost, 0 or 1.
fn check(run: &Run, before: &[Record], whole: &[Record]) -> usize {
    let log = run.log();
    let records = run.records();
    // The first question is saved before it is tried.
    assert!(records.is_some() || (log.is_empty() && before.is_empty()), "the file is gone");
    let records = records.unwrap_or_default();

    // Nothing that was told is lost or changed, and all of it is what the uninterrupted run has.
    assert!(told(&records) >= told(before), "{} told, now {}", told(before), told(&records));
    assert!(records.len() <= whole.len());
    for (i, (&(point, value), &(expected, answer))) in records.iter().zip(whole).enumerate() {
        assert_eq!(point, expected, "question {i}");
        // Questions are answered one after the other: only the last may be open.
        assert!(value == answer || (value.is_none() && i + 1 == records.len()), "answer {i}");
    }

    // What was open is tried first.
    if let (Some(&(point, None)), Some(first)) = (before.last(), log.first()) {
        assert_eq!(*first, Line::Try(point));
    }
    let (mut tried, mut saved) = (0, 0);
    for line in &log {
        match line {
            Line::Try(point) => {
                assert!(records.iter().any(|(known, _)| known == point), "a question was lost");
                tried += 1;
            }
            Line::Saved(point, value) => {
                assert!(records.contains(&(*point, Some(*value))), "a saved value was lost");
                saved += 1;
            }
            Line::Best => assert_eq!(told(&records), run.evaluations),
        }
    }
    let gained = told(&records) - told(before);
    // The last value may have been saved, but not yet said to be.
    assert!((saved..=saved + 1).contains(&gained), "{saved} said to be saved, {gained} are");
    assert!((gained..=gained + 1).contains(&tried), "{tried} tried, {gained} saved");
    tried - gained
}

/// Kills a loop so often, and starts it again each time until it ends. Returns what the file holds in the end.
fn kill(language: &str, program: &Program, most: u32, random: &mut SplitMix64) -> Vec<Record> {
    let folder = |part: &str| format!("{}-{language}-{most}", part);
    let reference = Run::new(program, &folder("whole"), EVALUATIONS);
    run(&mut reference.command(2));
    let whole = reference.records().expect("it was saved");
    let bytes = fs::read(reference.file()).expect("it was saved");
    assert_eq!(told(&whole), EVALUATIONS);

    let (mut kills, mut rounds, mut lost, mut tried) = (0, 0, 0, 0);
    // Where the kills struck, as far as can be told from outside.
    let (mut starting, mut evaluating, mut saving, mut asking) = (0, 0, 0, 0);
    while kills < most {
        let run = Run::new(program, &folder("parts"), EVALUATIONS);
        let mut finished = false;
        while !finished {
            let before = run.records().unwrap_or_default();
            let lines = (random.bits() % 5) as usize;
            let looks = random.bits() % if lines == 0 { LOOKS / 10 } else { LOOKS };
            let mut child = run.start(2);
            if kills < most {
                // Some looks after a random line: in the start, an evaluation, a save or a question.
                let mut ended = || child.try_wait().expect("it can be waited for").is_some();
                while run.log().len() < lines && !ended() {
                    std::thread::yield_now();
                }
                (0..looks).for_each(|_| drop(run.log()));
                child.kill().expect("it was started");
            }
            let status = child.wait().expect("it was started");
            lost += check(&run, &before, &whole);
            let log = run.log();
            tried += log.iter().filter(|line| matches!(line, Line::Try(_))).count();
            finished = status.success();
            let half = run.clear();
            if !finished {
                assert_eq!(status.signal(), Some(SIGKILL), "{language}: {status}");
                kills += 1;
                let place = match log.last() {
                    _ if half => &mut saving,
                    None => &mut starting,
                    Some(Line::Try(_)) => &mut evaluating,
                    Some(_) => &mut asking,
                };
                *place += 1;
            }
        }
        rounds += 1;
        let same = fs::read(run.file()).expect("it was saved") == bytes;
        assert!(same, "{language}: another result than without kills");
    }
    // Every evaluation beyond those of the rounds is one that a kill took.
    assert_eq!(tried, rounds * EVALUATIONS + lost, "{language}");
    println!(
        "{language}: {kills} kills in {rounds} runs: {starting} at the start, {asking} asking, {evaluating} evaluating or \
         telling, {saving} saving; {lost} evaluations lost"
    );
    whole
}

/// Kills the loop of every language so often; all of them end with the same trials.
fn kill_all(each: impl Fn(usize, usize) -> u32) {
    let loops = loops();
    let mut random = SplitMix64::new(9);
    let ends: Vec<_> = loops
        .iter()
        .enumerate()
        .map(|(i, (language, program))| kill(language, program, each(i, loops.len()), &mut random))
        .collect();
    for (end, (language, _)) in ends.iter().zip(&loops) {
        assert!(*end == ends[0], "{language} asks other questions than {}", loops[0].0);
    }
}

#[test]
fn any_moment_will_do() {
    kill_all(|_, _| KILLS);
}

#[test]
#[ignore = "hundreds of kills: ./ci.sh long"]
fn any_of_many_moments_will_do() {
    let all = std::env::var("INFILL_KILLS").map_or(MANY, |count| count.parse().expect("a number"));
    // What is left over goes to the first.
    kill_all(|i, loops| all / loops as u32 + u32::from(i < all as usize % loops));
}

#[test]
fn every_moment_of_saving_will_do() {
    if !has("gcc") {
        return;
    }
    if !cfg!(target_os = "linux") {
        println!("skipped: LD_PRELOAD is Linux's");
        return;
    }
    const EVALUATIONS: usize = 3;
    let library = scratch("programs").join("kill_at.so");
    let mut gcc = Command::new("gcc");
    gcc.args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]);
    run(gcc.arg(root().join("tests/ffi/kill_at.c")).arg("-o").arg(&library));

    let program = asktell(&Library::build(Build::Plain));
    let mut killed = Run::new(&program, "calls", EVALUATIONS);
    killed.preload = Some((library, 0));
    let output = run(&mut killed.command(0));
    // The bytes reach the disk before the name does, and the name before anything else.
    let save = "create write write fsync close rename open fsync close".split(' ');
    let saves: Vec<&str> = save.cycle().take(9 * 2 * EVALUATIONS).collect();
    let calls = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(calls.lines().collect::<Vec<_>>(), saves, "a question and an answer are a save each");
    let whole = killed.records().expect("it was saved");
    let bytes = fs::read(killed.file()).expect("it was saved");

    let mut lost = 0;
    for moment in 1..=saves.len() {
        let _ = fs::remove_file(killed.file());
        if let Some((_, at)) = &mut killed.preload {
            *at = moment as u32;
        }
        let status = killed.start(0).wait().expect("it was started");
        assert_eq!(status.signal(), Some(SIGKILL), "moment {moment}: {status}");
        lost += check(&killed, &[], &whole);
        let before = killed.records().unwrap_or_default();
        if let Some((_, at)) = &mut killed.preload {
            *at = 0;
        }
        let status = killed.start(0).wait().expect("it was started");
        assert!(status.success(), "moment {moment}: {status}");
        check(&killed, &before, &whole);
        assert!(fs::read(killed.file()).expect("it was saved") == bytes, "moment {moment}");
    }
    // A value that is not renamed yet is lost: at six of the nine moments of its save.
    assert_eq!(lost, 6 * EVALUATIONS);
    assert!(text(&mut killed.command(0)).starts_with("best "));
}
