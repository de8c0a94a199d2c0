import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, fetch } from 'undici';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../sandbox.ts';
import type { SentAnswer } from './tap.ts';

let dataDir: string;
let sandbox: Sandbox;
let dispatcher: Agent;
let answers: SentAnswer[] = [];
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'sandbox-tap-'));
  sandbox = await startSandbox({ dataDir, onAnswer: (answer) => answers.push(answer) });
  dispatcher = new Agent({ connect: { ca: readFileSync(sandbox.caFile, 'utf8') } });
});
beforeEach(() => {
  answers = [];
});
afterAll(async () => {
  await dispatcher.close();
  await sandbox.stop();
  rmSync(dataDir, { recursive: true });
});

const report = '/v2/post-sale/fundings/report';

async function get(path: string, environment = 'sandbox'): Promise<string> {
  const own = sandbox.environments.find(({ name }) => name === environment);
  const headers = { authorization: `Bearer ${own?.privateKey ?? ''}` };
  const response = await fetch(`${own?.baseUrl ?? ''}${path}`, { dispatcher, headers });
  return response.text();
}

const setFault = (fault: object) =>
  fetch(`${sandbox.controlUrl}/faults`, { method: 'POST', body: JSON.stringify(fault) });

it('receives each response to a client, with the path relative to the environment', async () => {
  const text = await get(`${report}?limit=5`);
  await get(report, 'uat');
  expect(JSON.parse(text)).toEqual({ records: [] });
  expect(answers).toMatchObject([
    { method: 'GET', path: report, status: 200, body: text, fault: null },
    { method: 'GET', path: report, status: 200, body: text, fault: null },
  ]);
  expect(answers[0]?.headers['content-type']).toMatch(/^application\/json/);
});

it('receives an error response', async () => {
  await fetch(sandbox.apiUrl + report, { dispatcher });
  expect(answers).toMatchObject([{ path: report, status: 401, fault: null }]);
});

it('receives the kind of fault that responded to a call', async () => {
  await setFault({ kind: 'status', status: 503, operations: ['fundings.report'], next: 1 });
  await get(report);
  expect(answers).toMatchObject([{ path: report, status: 503, fault: 'status' }]);
});
