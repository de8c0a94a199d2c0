// From a bare machine (Node 20 or later and npm) to a running command: installs what the lockfile
// says, once, and then runs scripts/<command>.ts (bench/<name>.ts for bench:<name>,
// scripts/test-<name>.ts for test:<name>) on the Node.js that the workspace carries.
// Plain JavaScript, no dependency: it is what runs before anything is installed.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Pinned here because a `packageManager` field makes npx refuse (a platform
// package of pnpm's own launcher is not in every registry).
const PNPM = 'pnpm@12.21.0';

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

/** Everything that decides what gets installed. */
function installFingerprint() {
  const hash = createHash('sha256').update(PNPM);
  const manifests = ['packages', 'examples'].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => join(folder, name, 'package.json')),
  );
  for (const file of [
    'pnpm-lock.yaml',
    'pnpm-workspace.yaml',
    'package.json',
    'bench/package.json',
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
  const install = spawnSync('npx', ['--yes', PNPM, 'install', '--frozen-lockfile'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: windows,
    // pnpm asks before it replaces a node_modules of another shape; here nobody answers.
    env: { ...process.env, CI: 'true' },
  });
  if (install.status !== 0) {
    console.error('The installation failed; the reason is above. Is the npm registry reachable?');
    process.exit(1);
  }
  writeFileSync(stamp, wanted);
}

// First on the PATH, so that every tool down the line runs on it too.
const nodeFolder = join(root, 'node_modules', 'node', 'bin');
const node = join(nodeFolder, windows ? 'node.exe' : 'node');
const child = spawn(node, [script, ...args], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, PATH: nodeFolder + delimiter + (process.env.PATH ?? '') },
});
// A terminal sends Ctrl-C to the whole group; the child ends by itself, and we with it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => signal !== 'SIGINT' && child.kill(signal));
}
child.on('exit', (code, signal) => {
  process.exitCode = code ?? 128 + constants.signals[signal ?? 'SIGTERM'];
});
