import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContext } from 'playwright';
import { chromiumArgs, findChromium } from '../../scripts/chromium.ts';
import { startStack, type Stack, type StackOptions } from '../../scripts/stack.ts';
import { patienceMs } from '../../vitest.shared.ts';
import { expectAllPublished } from './answers.ts';

/** A stack, and the file that compares each answer of its sandbox with the published contract. */
export type FreshStack = Stack & { answersFile: string; remove(): Promise<void> };

/**
 * Starts a stack in its own folder, on free ports. `remove` fails when an answer of the sandbox differed
 * from the published contract.
 */
export async function freshStack(options: Partial<StackOptions> = {}): Promise<FreshStack> {
  const dataDir = mkdtempSync(join(tmpdir(), 'financing-checkout-'));
  const answersFile = join(dataDir, 'answers.ndjson');
  const stack = await startStack({
    dataDir,
    ports: 'any',
    checkAnswers: answersFile,
    ...options,
  });
  return Object.assign(stack, {
    answersFile,
    remove: async () => {
      await stack.stop();
      try {
        expectAllPublished(answersFile);
      } finally {
        rmSync(dataDir, { recursive: true, force: true });
      }
    },
  });
}

/** Starts Chromium. @param off features to switch off */
export async function launchBrowser(off: readonly string[] = []): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: chromiumArgs(off),
  });
  return patient(browser);
}

/** Lets each page of a browser be waited for as long as on a busy machine. @returns the browser */
export function patient(browser: Browser): Browser {
  return browser.on('context', (context) => context.setDefaultTimeout(patienceMs));
}

/** Sends a request to the sandbox's control API. @returns its answer */
export async function askControl(
  stack: Pick<Stack, 'control'>,
  path: string,
  body?: object,
  method = 'POST',
): Promise<unknown> {
  const answer = await fetch(stack.control + path, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path} of the control API: ${text}`);
  return JSON.parse(text);
}

/** Moves the sandbox's clock forward. @param advance "2h" or "3d" */
export async function moveClock(stack: Pick<Stack, 'control'>, advance: string): Promise<void> {
  await askControl(stack, '/clock', { advance });
}

/** An answer of the sandbox's API. */
export interface ServiceAnswer {
  status: number;
  body: string;
}

/** Sends one request to the sandbox's API, with or without a key. */
export function askService(
  stack: Pick<Stack, 'dataDir' | 'sandboxApi'>,
  path: string,
  {
    key,
    method = 'GET',
    body,
  }: { key?: string | undefined; method?: string; body?: string | undefined } = {},
): Promise<ServiceAnswer> {
  return new Promise((resolve, reject) => {
    const call = request(
      stack.sandboxApi + path,
      {
        method,
        ca: readFileSync(join(stack.dataDir, 'sandbox', 'ca.pem')),
        headers: {
          ...(key && { authorization: `Bearer ${key}` }),
          ...(body && { 'content-type': 'application/json' }),
        },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }));
      },
    );
    call.on('error', reject).end(body);
  });
}

/** A call of the sandbox's API, as its control API lists it. */
export interface Call {
  method: string;
  path: string;
  status: number;
  contentType: string | null;
  authorization: {
    scheme: string | null;
    key: { environment: string; kind: string; slot: string } | 'unknown' | null;
  };
  tlsVersion: string | null;
}

export async function calls(stack: Pick<Stack, 'control'>): Promise<Call[]> {
  const answer = await fetch(`${stack.control}/calls`);
  const body = (await answer.json()) as { calls: Call[] };
  return body.calls;
}

export async function forgetCalls(stack: Pick<Stack, 'control'>): Promise<void> {
  await fetch(`${stack.control}/calls`, { method: 'DELETE' });
}

export type { Browser, BrowserContext, Stack };
