/* `npm run test:readme`: runs the commands of the README in their order, as a reader with a new clone does. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import getPort, { portNumbers } from 'get-port';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { root } from '../../scripts/paths.ts';
import { stackPorts } from '../../scripts/ports.ts';
import { type Program, startProgram } from '../../scripts/processes.ts';
import { type Commands, commandsIn } from '../boundaries/blocks.ts';

const readme = readFileSync(join(root, 'README.md'), 'utf8');
const blocks = commandsIn(readme).filter(({ notRun }) => notRun === undefined);

/** Has the clone, and the folders that the commands make beside it. */
let folder: string;
/** Holds the folder and the variables of the reader's terminal after each block. */
let terminal: string;
const running: Program[] = [];
/** Ports that take the place of the README's, where another program has those. */
const moved = new Map<string, string>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'financing-readme-'));
  const clone = join(folder, 'financing-checkout');
  mkdirSync(clone);
  const as = ['-c', 'user.name=test', '-c', 'user.email=test@localhost'];
  const git = (cwd: string, ...args: string[]) =>
    execFileSync('git', [...as, ...args], { cwd, maxBuffer: 500_000_000 });
  // A commit of the changes, too, which belongs to no branch; none if there are no changes.
  const commit = git(root, 'stash', 'create').toString().trim() || 'HEAD';
  execFileSync('tar', ['x', '-C', clone], { input: git(root, 'archive', commit) });
  git(clone, 'init', '-q');
  git(clone, 'add', '-A');
  git(clone, 'commit', '-q', '-m', 'Begin');
  terminal = join(folder, 'terminal');
  writeFileSync(terminal, `cd '${clone}'\n`);
  const own = new Set<string>(Object.values(stackPorts).map(String));
  for (const port of new Set(portsIn(blocks.map(({ code }) => code).join('')))) {
    const usual = Number(port);
    if (own.has(port)) continue;
    moved.set(port, String(await getPort({ port: portNumbers(usual, usual + 80) })));
  }
});

afterAll(async () => {
  for (const program of running.reverse()) await end(program);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

describe('the commands of the README', () => {
  test.each(blocks.map((block) => [block.code.split('\n')[0], block] as const))('%s', (_, block) =>
    block.until === undefined ? runToEnd(block) : runUntil(block, block.until),
  );
});

const ports = /(?<=(?:localhost|127\.0\.0\.1):|_PORT=)\d+/g;
const portsIn = (code: string) => Array.from(code.matchAll(ports), ([port]) => port);

function start({ code }: Commands, onLine?: (line: string) => void): Program {
  const commands = code.replaceAll(ports, (port) => moved.get(port) ?? port);
  const state = `'${terminal}'`;
  return startProgram({
    name: 'block of commands',
    runtime: 'bash',
    file: '-c',
    args: [`set -e\n. ${state}\n${commands}\n{ echo "cd '$PWD'"; export -p; } >${state}`],
    cwd: folder,
    env: readerEnvironment(),
    ...(onLine && { onLine: (_, line) => onLine(line) }),
  });
}

async function runToEnd(block: Commands): Promise<void> {
  const program = start(block);
  const { code } = await program.ended;
  if (code !== 0) throw new Error(`Exit code ${code}:\n${program.lines.slice(-30).join('\n')}`);
}

/** Starts a program in a terminal of its own, which keeps running. */
async function runUntil(block: Commands, text: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const program = start(block, (line) => {
      const [, from, to] = /^Port (\d+) \(.*using (\d+)\.$/.exec(line) ?? [];
      if (from !== undefined && to !== undefined) moved.set(from, to);
      if (line.includes(text)) resolve();
    });
    running.push(program);
    const ended = () => new Error(`It ended:\n${program.lines.slice(-30).join('\n')}`);
    void program.ended.then(() => reject(ended()));
  });
  const reconciliation = moved.get(String(stackPorts.reconciliation));
  if (reconciliation === undefined) return;
  // The commands of reconciliation know the usual address alone.
  const address = `export RECONCILIATION_URL=http://127.0.0.1:${reconciliation}\n`;
  writeFileSync(terminal, address, { flag: 'a' });
}

/** Ends a block as Ctrl-C does, which reaches all of its programs. */
async function end(program: Program): Promise<void> {
  if (!program.exited) process.kill(-program.pid, 'SIGINT');
  await program.ended;
}

/** Returns the environment of a terminal that knows nothing of this repository. */
function readerEnvironment(): Record<string, string> {
  const path = (process.env.PATH ?? '').split(delimiter).filter((part) => !part.startsWith(root));
  const network =
    /^(?:npm_config_(?:cache|registry|userconfig)|https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS)$/i;
  const kept = Object.entries(process.env).flatMap(([name, value]) =>
    network.test(name) && value !== undefined ? [[name, value] as const] : [],
  );
  return { ...Object.fromEntries(kept), PATH: path.join(delimiter) };
}
