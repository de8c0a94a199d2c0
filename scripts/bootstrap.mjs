// Runs a command on a machine that has only Node 20 or later and npm. It installs the versions of the
// lockfile once, then runs scripts/<command>.ts (bench/<name>.ts for bench:<name>,
// scripts/test-<name>.ts for test:<name>) on the Node.js of the workspace. It is plain JavaScript
// without dependencies, because it runs before anything is installed.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findPlatformPackage, runPnpm } from './pnpm.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const windows = process.platform === 'win32';
const [command, ...args] = process.argv.slice(2);

const script = command?.startsWith('bench:')
  ? join(root, 'bench', `${command.slice('bench:'.length)}.ts`)
  : join(root, 'scripts', `${(command ?? '').replace(':', '-')}.ts`);
if (!existsSync(script)) {
  const known = Object.keys(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts);
  console.error(`There is no command "${command ?? ''}". Known: ${known.join(', ')}.`);
  process.exit(2);
}
if (Number(process.versions.node.split('.')[0]) < 20) {
  console.error(`Node.js 20 or later is needed to start; this is ${process.version}.`);
  process.exit(2);
}

/** Returns a hash of everything that decides which packages are installed. */
function installFingerprint() {
  const hash = createHash('sha256');
  const manifests = ['packages', 'examples'].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => join(folder, name, 'package.json')),
  );
  for (const file of [
    'scripts/pnpm/package-lock.json',
    'pnpm-lock.yaml',
    'pnpm-workspace.yaml',
    'package.json',
    'bench/package.json',
    'site/package.json',
    ...manifests,
  ]) {
    const path = join(root, file);
    if (existsSync(path)) hash.update(file).update(readFileSync(path));
  }
  return hash.digest('hex');
}

const stamp = join(root, 'node_modules', '.installed');
const wanted = installFingerprint();
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
  console.log('Installing what the lockfile says (once) …');
  const exitCode = runPnpm(['install', '--frozen-lockfile'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    // Without CI, pnpm waits for confirmation before it replaces a node_modules with another
    // layout.
    env: { ...process.env, CI: 'true' },
  });
  if (exitCode !== 0) {
    console.error('The installation failed; the reason is above. Is the npm registry reachable?');
    process.exit(1);
  }
  writeFileSync(stamp, wanted);
}

const nodePackage = findPlatformPackage(root);
if (nodePackage === undefined) {
  console.error(
    `The lockfile has no Node.js for ${process.platform} ${process.arch}, or its download failed. Platforms are listed` +
      ' under "optionalDependencies" of package.json.',
  );
  process.exit(1);
}
// It comes first on the PATH, so that every tool that is started later uses it too.
const nodeFolder = join(nodePackage, 'bin');
const node = join(nodeFolder, windows ? 'node.exe' : 'node');
const child = spawn(node, [script, ...args], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, PATH: nodeFolder + delimiter + (process.env.PATH ?? '') },
});
// A terminal sends Ctrl-C to the whole process group, so the child exits without our signal.
let started = new Map();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    // A program whose parent has ended gets another parent, so the programs are listed beforehand.
    started = new Map([...started, ...programsBelow(child.pid)]);
    if (signal !== 'SIGINT') child.kill(signal);
  });
}
child.on('exit', async (code, signal) => {
  process.exitCode = code ?? 128 + constants.signals[signal ?? 'SIGTERM'];
  await endPrograms(started);
});

/** Returns the running programs: process id, and parent and time of start as text. */
function runningPrograms() {
  const { stdout = '' } = windows
    ? {}
    : spawnSync('ps', ['-A', '-o', 'pid=,ppid=,lstart='], { encoding: 'utf8' });
  const lines = (stdout ?? '').matchAll(/^ *(\d+) +(\d+) +(.+?) *$/gm);
  return new Map(
    Array.from(lines, ([, pid, parent, at]) => [Number(pid), { parent: Number(parent), at }]),
  );
}

/** Returns all descendants of a program, not only its children. */
function programsBelow(parent) {
  const all = [...runningPrograms()];
  const below = (pid) =>
    all.flatMap(([id, { at, parent }]) => (parent === pid ? [[id, at], ...below(id)] : []));
  return new Map(below(parent));
}

/** Ends programs that still run: with SIGTERM, and after five seconds with SIGKILL. */
async function endPrograms(programs) {
  for (const signal of ['SIGTERM', 'SIGKILL']) {
    sendAll(signal, stillRunning(programs));
    for (let tries = 50; tries > 0 && stillRunning(programs).length > 0; tries -= 1)
      await wait(100);
  }
}

function stillRunning(programs) {
  const running = programs.size === 0 ? new Map() : runningPrograms();
  return [...programs].flatMap(([pid, at]) => (running.get(pid)?.at === at ? pid : []));
}

function sendAll(signal, pids) {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has just ended.
    }
  }
}
