import { Command } from 'commander';
import { expect, onTestFinished, test } from 'vitest';
import { BACK_OFFICE_TOKEN } from '../../companion.fixture.ts';
import { wireHistory, wireRecord, type WireRecord } from '../../fundings/history.fixture.ts';
import { RECORDS_V1, RECORDS_V2, syncingCompanion } from '../../fundings/syncing.fixture.ts';
import { CommandFailure } from './exit.ts';
import { registerFundings } from './fundings.ts';
import type { Shell } from './shell.ts';
import { ProgressBar, progressText } from './progress-bar.ts';
import { registerSync } from './reconcile/sync.ts';

async function setUp(records: WireRecord[]) {
  const companion = await syncingCompanion(records);
  const out: string[] = [];
  const err: string[] = [];
  const shell: Shell = {
    env: {
      COMPANION_BACK_OFFICE_URL: 'https://companion.internal:4001',
      COMPANION_BACK_OFFICE_TOKEN: BACK_OFFICE_TOKEN,
    },
    fetch: async (url, init) => companion.backOffice.request(url, init),
    print: (line) => void out.push(line),
    say: (line) => void err.push(line),
  };
  const drawn: string[] = [];
  async function run(...words: string[]): Promise<number> {
    out.length = err.length = drawn.length = 0;
    // As main.ts has it: --version is the program's before a command alone.
    const program = new Command('financing-companion').exitOverride();
    program.enablePositionalOptions().version('0.0.0');
    registerFundings(program, shell);
    registerSync(program.command('reconcile'), shell, {
      isTTY: words.includes('sync'),
      columns: 60,
      write: (text) => drawn.push(text),
    });
    try {
      await program.parseAsync(words, { from: 'user' });
      return 0;
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error;
      err.push(error.message);
      return error.exitCode;
    }
  }
  return { ...companion, out, err, drawn, run, shell, companionFetch: shell.fetch };
}

const at = '2026-03-02T00:00:00.000Z';

test('fundings report: a table for people, JSON lines for programs, without names', async () => {
  const { run, out, err } = await setUp([
    wireRecord(1, at),
    wireRecord(2, at, { status: 'MISSING', merchantOrderId: undefined, lenderName: 'B\u001b[31m' }),
  ]);
  expect(await run('fundings', 'report', '--show-missing')).toBe(0);
  expect(out[0]).toMatch(/^funded\s+status\s+type\s+amount\s+discount\s+net/);
  expect(out).toHaveLength(3);
  expect(out.join('\n')).toContain('MISSING');
  expect(out.join('')).not.toMatch(/Ada|Quill|@|\p{Cc}/u);
  expect(await run('fundings', 'report', '--json')).toBe(0);
  expect(out.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { merchantOrderId: 'A-1', transactionAmount: { value: 10_001, currency: 'USD' } },
  ]);
  expect(await run('fundings', 'report', '--from', '2030-01-01')).toBe(0);
  expect([out, err]).toEqual([[], ['The service reports no funding for this time.']]);
});

test('fundings records: either version, in whatever pages they come', async () => {
  const { run, out, upstream } = await setUp(wireHistory(1_500, '2026-03-01', 5));
  expect(await run('fundings', 'records', '--version', '1', '--json')).toBe(0);
  expect(out).toHaveLength(1_500);
  expect(upstream.callsTo(`GET ${RECORDS_V1}`).length).toBeGreaterThan(1);
  expect(await run('fundings', 'records')).toBe(0);
  // One head, however many there are.
  expect(out.filter((line) => line.startsWith('funded'))).toHaveLength(1);
  expect(out).toHaveLength(1_501);
  expect(upstream.callsTo(`GET ${RECORDS_V2}`).length).toBeGreaterThan(1);
});

test.each(['report', 'records'])(
  'fundings %s: a record that cannot be read keeps no other back, and is told; it ends with 1',
  async (operation) => {
    const { run, out, err } = await setUp([
      wireRecord(1, at, { transactionAmount: 1.001 }),
      wireRecord(2, at),
    ]);
    expect(await run('fundings', operation)).toBe(1);
    expect(out).toHaveLength(2);
    expect(out[1]).toContain('A-2');
    expect(err).toEqual([
      'A record of the service cannot be read, and is not among these:\n' +
        '  record 1, A-1: transactionAmount cannot be held in USD (amount-too-precise)',
    ]);
    expect(await run('fundings', operation, '--json')).toBe(1);
    expect(out).toHaveLength(1);
  },
);

test('reconcile sync shows how far it is, and ends with 0 when every day is proven', async () => {
  const { run, out, drawn } = await setUp(wireHistory(100, '2026-03-01', 5));
  const days = ['--from', '2026-03-01', '--to', '2026-03-05'];
  expect(await run('reconcile', 'sync', ...days)).toBe(0);
  expect(out.join('\n')).toMatch(/state +complete[^]*5 proven, 0 not[^]*100, of these 100 new/);
  expect(drawn.join('')).toContain('5/5 days');
  expect(drawn.every((text) => text === '\n' || text.startsWith('\r\u001b[K'))).toBe(true);
  expect(await run('reconcile', 'sync', ...days, '--json')).toBe(0);
  expect(JSON.parse(out[0] ?? '')).toMatchObject({ state: 'complete', changed: 0 });
});

test('reconcile sync and status end with 3 for data that is not all there, and say what is wrong', async () => {
  const companion = await setUp([
    wireRecord(1, at, { transactionAmount: 1.001 }),
    wireRecord(2, at),
  ]);
  const { run, out, err } = companion;
  expect(await run('reconcile', 'status')).toBe(3);
  expect(out).toEqual(['Nothing has been read from the service yet. Run "reconcile sync".']);
  const days = ['--from', '2026-03-02', '--to', '2026-03-02'];
  expect(await run('reconcile', 'sync', ...days)).toBe(3);
  expect(err.at(-1)).toBe('1 record could not be held. "reconcile status" names them.');
  companion.fail({ status: 400 });
  expect(await run('reconcile', 'sync', ...days)).toBe(3);
  expect(err.at(-1)).toContain('The sync is failed');
  expect(await run('reconcile', 'status')).toBe(3);
  const text = out.join('\n');
  expect(text).toContain('2026-03-02  failed: rejected with 400');
  expect(text).toContain('A-1  transactionAmount: amount-too-precise');
});

test('reconcile sync follows one that is under way', async () => {
  const { run, err, history, fundingsSync } = await setUp(wireHistory(30, '2026-03-01', 5));
  const held = Promise.withResolvers<undefined>();
  history.before = () => held.promise;
  await fundingsSync.start({ from: '2026-03-01', to: '2026-03-05' });
  const followed = run('reconcile', 'sync');
  await expect.poll(() => err).toContain('A sync is under way: this one is followed.');
  held.resolve(undefined);
  expect(await followed).toBe(0);
});

test('reconcile sync on a terminal that obeys nothing says lines, and draws no bar', async () => {
  const { run, err, drawn, shell } = await setUp(wireHistory(3, '2026-03-01', 1));
  shell.env = { ...shell.env, TERM: 'dumb' };
  expect(await run('reconcile', 'sync', '--from', '2026-03-01', '--to', '2026-03-01')).toBe(0);
  expect([drawn, err.at(-1)]).toEqual([[], expect.stringContaining('1/1 days  3 records')]);
});

test('a companion that stops in the middle of a sync: what goes on there is the same command', async () => {
  const { run, err, history, shell, companionFetch } = await setUp([]);
  const held = Promise.withResolvers<undefined>();
  onTestFinished(() => held.resolve(undefined));
  history.before = () => held.promise;
  shell.fetch = async (url, init) => {
    if (!url.endsWith('/events')) return companionFetch(url, init);
    const { body, headers } = await companionFetch(url, init);
    const reader = (body as ReadableStream<Uint8Array<ArrayBuffer>>).getReader();
    const { value } = await reader.read();
    return new Response(value, { headers });
  };
  expect(await run('reconcile', 'sync', '--from', '2026-03-01', '--to', '2026-03-01')).toBe(1);
  expect(err.at(-1)).toMatch(/^The sync stopped in the middle. Run the same command again/);
});

const broken = [
  '{"kind":"of tomorrow"}',
  '{"records":[{"id":',
  '{"rec',
  'A-1 of Ada',
  '{',
  '[',
  '',
];

test.each(broken)(
  'records that end in the middle or are none are said, and never told: %s',
  async (text) => {
    const { run, out, err, shell } = await setUp([]);
    const headers = { 'content-type': 'application/json' };
    shell.fetch = () => Promise.resolve(new Response(text, { headers }));
    expect(await run('fundings', 'report')).toBe(1);
    expect([out, err]).toEqual([
      [],
      [expect.stringMatching(/^What answers is not a companion|^The answer/)],
    ]);
    expect(err.join('')).not.toMatch(/Ada|tomorrow/);
  },
);

test.each(broken)('so is progress of a sync that is none: %s', async (text) => {
  const { run, err, shell, companionFetch } = await setUp(wireHistory(3, '2026-03-01', 1));
  const headers = { 'content-type': 'text/event-stream' };
  shell.fetch = async (url, init) =>
    url.endsWith('/events')
      ? new Response(`data: ${text}\n\n`, { headers })
      : companionFetch(url, init);
  expect(await run('reconcile', 'sync', '--from', '2026-03-01', '--to', '2026-03-01')).toBe(1);
  expect(err).toEqual([expect.stringContaining('What answers is not a companion')]);
  expect(err.join('')).not.toMatch(/Ada|tomorrow/);
});

test('progress: rate and time left; in a log a line each tenth', () => {
  expect(progressText({ done: 3, planned: 12, records: 123_456, seconds: 3 })).toBe(
    '3/12 days  123,456 records  41,152/s  about 9 s left',
  );
  expect(progressText({ done: 0, planned: 0, records: 0, seconds: 0 })).toBe('0/0 days  0 records');
  expect(progressText({ done: 1, planned: 61, records: 5, seconds: 60 })).toBe(
    '1/61 days  5 records  about 60 min left',
  );
  const said: string[] = [];
  const bar = new ProgressBar({ write: () => undefined }, (line) => said.push(line));
  for (let done = 0; done <= 100; done++)
    bar.show({ done, planned: 100, records: done, seconds: 1 });
  bar.end();
  expect(said).toHaveLength(11);
});
