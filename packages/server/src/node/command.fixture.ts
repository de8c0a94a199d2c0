import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { patienceMs } from '../../../../vitest.shared.ts';
import {
  BACK_OFFICE_TOKEN,
  keyOf,
  order,
  ORIGIN,
  PRIVATE_KEY,
  PUBLIC_KEY,
  TICKET_SECRET,
} from '../companion.fixture.ts';
import { signOrderTicket } from '@financing-checkout/ticket';
import { processShell, runProgram, type Shell } from '@financing-checkout/kit/cli';
import { readConfiguration } from '../config/config.ts';
import { companionProgram } from './cli/program.ts';
import { httpsServer } from './https.fixture.ts';
import { createPinoLogger } from './log.ts';
import { serveCompanion } from './serve.ts';

const sourceMain = join(import.meta.dirname, 'main.ts');

/** Returns the environment for a spawned program, without any settings of this machine. */
export function bareEnvironment(): Record<string, string> {
  const { PATH = '', NODE_COMPILE_CACHE } = process.env;
  return NODE_COMPILE_CACHE === undefined ? { PATH } : { PATH, NODE_COMPILE_CACHE };
}

/** Spawns the command and collects its output. */
export function run(
  args: string[],
  variables: Record<string, string> = {},
  nodeOptions: string[] = [],
  installation: { main?: string; cwd?: string; uid?: number; gid?: number } = {},
) {
  const { main = sourceMain, ...place } = installation;
  const child: ChildProcess = spawn(process.execPath, [...nodeOptions, main, ...args], {
    ...place,
    env: { ...bareEnvironment(), ...variables },
  });
  const exit = once(child, 'exit').then(([code]: unknown[]) => code);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exit;
  });
  const output = { text: '' };
  child.stdout?.on('data', (chunk: Buffer) => (output.text += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (output.text += chunk.toString()));
  return { child, output, exit };
}

/**
 * Runs a command in this process, where the modules are already loaded, and returns its exit code
 * and output: standard output as `printed`, all output as `text`. Tests that spawn the program
 * verify that `main.ts` passes on both.
 */
export async function runHere(words: string[], variables: Record<string, string> = {}) {
  const printed: string[] = [];
  let text = '';
  const say = (line: string) => void (text += `${line}\n`);
  const print = (line: string) => {
    printed.push(line);
    say(line);
  };
  const shell = { ...processShell, env: variables, print, say };
  const code = await runProgram(companionProgram, words, shell);
  return { code, printed, text };
}

/**
 * Runs, in this process, commands that call a back office.
 * @param token the token that the commands send
 */
export function commandsTo(
  backOffice: { request: (url: string, init: RequestInit) => Response | Promise<Response> },
  token = BACK_OFFICE_TOKEN,
) {
  const out: string[] = [];
  const err: string[] = [];
  const shell = {
    env: {
      COMPANION_BACK_OFFICE_URL: 'https://companion.internal:4001/',
      COMPANION_BACK_OFFICE_TOKEN: token,
    } as Record<string, string>,
    fetch: async (url: string, init: RequestInit) => backOffice.request(url, init),
    print: (line: string) => void out.push(line),
    say: (line: string) => void err.push(line),
  } satisfies Shell;
  /** Runs a command. @returns its output and its exit code */
  async function run(...words: string[]) {
    out.length = err.length = 0;
    const code = await runProgram(companionProgram, words, shell);
    return { code, out: out.join('\n'), err: err.join('\n') };
  }
  return { shell, run, out, err };
}

/** Prepares the configuration of a companion, and the service that it calls. */
export async function serve(answer: Parameters<typeof httpsServer>[0]) {
  const upstream = await httpsServer(answer);
  onTestFinished(upstream.remove);
  onTestFinished(() => upstream.close());
  const keyFile = join(upstream.folder, 'private');
  writeFileSync(keyFile, `${PRIVATE_KEY}\n`);
  mkdirSync(join(upstream.folder, 'data'));
  const variables = {
    FINANCING_ENVIRONMENT: 'sandbox',
    FINANCING_BASE_URL: upstream.url,
    FINANCING_CA_FILE: upstream.caFile,
    FINANCING_DEADLINE_MS: String(patienceMs),
    FINANCING_PUBLIC_API_KEY: PUBLIC_KEY,
    FINANCING_PRIVATE_API_KEY_FILE: keyFile,
    ORDER_TICKET_SECRET: TICKET_SECRET,
    COMPANION_ALLOWED_ORIGINS: ORIGIN,
    COMPANION_PORT: '0',
    COMPANION_BACK_OFFICE_PORT: '0',
    COMPANION_STORE: `sqlite:${join(upstream.folder, 'data', 'companion.db')}`,
  };
  const start = async (more: Record<string, string> = {}, nodeOptions: string[] = []) => {
    const companion = run(['serve'], { ...variables, ...more }, nodeOptions);
    await expect.poll(() => companion.output.text).toMatch(/storefront .*\n.*back office .*\n/);
    const [storefront = '', backOffice = ''] =
      companion.output.text.match(/http:\/\/127\.0\.0\.1:\d+/g) ?? [];
    return { ...companion, storefront, backOffice };
  };
  /** Starts the companion in this process, without the CLI, and collects its log. */
  const startHere = async (more: Record<string, string> = {}) => {
    const configuration = readConfiguration({ ...variables, ...more }, (path) =>
      readFileSync(path, 'utf8'),
    );
    const log: string[] = [];
    const destination = { write: (line: string) => void log.push(line) };
    const companion = await serveCompanion(configuration, createPinoLogger({ destination }));
    onTestFinished(async () => {
      // The companion waits for calls in flight before it stops.
      await upstream.close();
      await companion.stop();
    });
    return { storefront: companion.storefrontUrl, backOffice: companion.backOfficeUrl, log };
  };
  return { upstream, keyFile, variables, start, startHere };
}

export const headers = {
  authorization: `Bearer ${PUBLIC_KEY}`,
  'financing-checkout-version': '1',
  'content-type': 'application/json',
  origin: ORIGIN,
};
export async function prime(url: string, key: string, ticket?: string) {
  const signed =
    ticket ?? (await signOrderTicket(order, { secret: TICKET_SECRET, environment: 'sandbox' }));
  return fetch(`${url}/checkout/prime`, {
    method: 'POST',
    headers: { ...headers, 'idempotency-key': keyOf(key) },
    body: JSON.stringify({ order: signed, environment: 'sandbox' }),
  });
}
