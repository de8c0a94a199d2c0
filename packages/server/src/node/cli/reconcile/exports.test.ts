import { execFileSync } from 'node:child_process';
import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { setUp } from '../reconcile.fixture.ts';

/** For a command to load what it runs: on a busy machine the usual second is short. */
const patiently = { timeout: 20_000 };

describe('export', () => {
  const folder = () => {
    const path = mkdtempSync(join(tmpdir(), 'export-'));
    onTestFinished(() => rmSync(path, { recursive: true }));
    return path;
  };

  test('writes a file for its owner, once it is whole', async () => {
    const { run } = await setUp();
    const file = join(folder(), 'orders.csv');
    expect((await run('export', 'orders', '--output', file)).code).toBe(0);
    const lines = readFileSync(file, 'utf8').split('\r\n');
    expect(lines.slice(1).map((line) => line.split(',')[0])).toEqual([
      'A-funded',
      'B-short',
      'C-missing',
      '',
    ]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('a byte order mark and decimal commas get as far as the file', async () => {
    const { run } = await setUp();
    const file = join(folder(), 'orders.csv');
    expect((await run('export', 'orders', '--bom', '--output', file)).code).toBe(0);
    expect(readFileSync(file, 'utf8').startsWith('\uFEFForder,')).toBe(true);
    const words = ['--bom', '--decimal', 'comma', '--output', file];
    expect((await run('export', 'orders', ...words)).code).toBe(0);
    expect(readFileSync(file, 'utf8').startsWith('\uFEFForder;')).toBe(true);
    expect((await run('walk', '--format', 'csv', '--decimal', 'comma')).out).toMatch(
      /;-?\d+,\d\d;/,
    );
  });

  test('to the shell it is the same, line by line', async () => {
    const { run } = await setUp();
    const { out } = await run('export', 'exceptions', '--format', 'ndjson');
    expect(out.split('\n').map((line) => (JSON.parse(line) as { code: string }).code)).toEqual([
      'AMOUNT_MISMATCH',
      'MISSING_AT_LENDER',
    ]);
  });

  test('an answer that is cut off leaves no file, and ends with 1', async () => {
    const { run, shell } = await setUp();
    const path = folder();
    const cutOff = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode('order\r\nA-1')),
      pull: (controller) => controller.error(new Error('reset')),
    });
    const headers = { 'content-type': 'text/csv; charset=utf-8' };
    shell.fetch = () => Promise.resolve(new Response(cutOff, { headers }));
    const { code, err } = await run('export', 'orders', '--output', join(path, 'orders.csv'));
    expect([code, err.includes('not all of it')]).toEqual([1, true]);
    expect(readdirSync(path)).toEqual([]);
  });

  describe('a companion that takes the request and says nothing more', () => {
    const MINUTE = 60_000;
    const head = { status: 200, headers: { 'content-type': 'text/csv; charset=utf-8' } };
    const piece = new TextEncoder().encode('order\r\nA-1');

    /** A command whose companion answers as `fetch` does, while time is for the test to pass. */
    async function exportFrom(answer: (signal: AbortSignal) => Promise<Response>, words: string[]) {
      const { run, shell } = await setUp();
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      onTestFinished(() => void vi.useRealTimers());
      const asked = Promise.withResolvers<unknown>();
      shell.fetch = (url, { signal }) => {
        if (!url.includes('/exports/') && !url.includes('/migration')) {
          return Promise.resolve(new Response(null, { status: 500 }));
        }
        asked.resolve(undefined);
        return answer(signal ?? new AbortController().signal);
      };
      const ended = run(...words);
      await asked.promise;
      return ended;
    }

    /** What nobody answers, until nobody waits any more. */
    const forEver = (signal: AbortSignal) =>
      new Promise<never>((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      );
    const silentAfter = (signal: AbortSignal, ...pieces: Uint8Array[]) =>
      new ReadableStream<Uint8Array>({
        start(controller) {
          for (const one of pieces) controller.enqueue(one);
          signal.addEventListener('abort', () => controller.error(signal.reason));
        },
      });

    const answered = (body: ReadableStream<Uint8Array>, how: ResponseInit = head) =>
      Promise.resolve(new Response(body, how));

    test.each<[string, (signal: AbortSignal) => Promise<Response>]>([
      ['before its answer', forEver],
      ['before the first byte', (signal) => answered(silentAfter(signal))],
      ['in the middle', (signal) => answered(silentAfter(signal, piece))],
      [
        'in the middle of why not',
        (signal) => answered(silentAfter(signal, piece), { status: 503 }),
      ],
    ])('%s is waited for five minutes; the file of before stays', async (_, answer) => {
      const path = folder();
      const file = join(path, 'orders.csv');
      writeFileSync(file, 'order\r\n');
      const ended = exportFrom(answer, ['export', 'orders', '--output', file]);
      const settled = vi.fn();
      void ended.then(settled, settled);
      await vi.waitUntil(() => vi.isFakeTimers() && vi.getTimerCount() > 0, patiently);
      await vi.advanceTimersByTimeAsync(5 * MINUTE - 1);
      expect(settled).not.toHaveBeenCalled();
      // A piece that is still being written is no silence.
      await vi.waitUntil(async () => {
        await vi.advanceTimersByTimeAsync(MINUTE);
        return settled.mock.calls.length > 0;
      }, patiently);
      const { code, err } = await ended;
      expect([code, err]).toEqual([1, expect.stringContaining('Nothing came') as string]);
      expect(readFileSync(file, 'utf8')).toBe('order\r\n');
      expect(readdirSync(path)).toEqual(['orders.csv']);
    });

    test('one that is slow, and not silent, is read to its end', async () => {
      const file = join(folder(), 'orders.csv');
      let left = 3;
      const slow = new ReadableStream<Uint8Array>(
        {
          async pull(controller) {
            if (left-- === 0) {
              controller.close();
              return;
            }
            await new Promise((resolve) => setTimeout(resolve, 4 * MINUTE));
            controller.enqueue(piece);
          },
        },
        { highWaterMark: 0 },
      );
      let signal: AbortSignal | undefined;
      const answer = (asked: AbortSignal) => {
        signal = asked;
        return answered(slow);
      };
      const ended = exportFrom(answer, ['export', 'orders', '--output', file]);
      for (let piece = 0; piece < 3; piece++) {
        await vi.waitUntil(() => vi.isFakeTimers() && left === 2 - piece, patiently);
        await vi.advanceTimersByTimeAsync(4 * MINUTE);
      }
      await ended;
      expect(readFileSync(file)).toHaveLength(3 * piece.length);
      // Nor is anything waited for afterwards.
      await vi.advanceTimersByTimeAsync(6 * MINUTE);
      expect(signal?.aborted).toBe(false);
    });

    test('a comparison of many days, of which nothing differs, may take long', async () => {
      const words = ['migrate-report', '--from', '2026-01-01', '--to', '2026-11-01'];
      const ended = exportFrom(forEver, words);
      const settled = vi.fn();
      void ended.then(settled, settled);
      await vi.waitUntil(() => vi.isFakeTimers() && vi.getTimerCount() > 0, patiently);
      await vi.advanceTimersByTimeAsync(59 * MINUTE);
      expect(settled).not.toHaveBeenCalled();
      await vi.advanceTimersByTimeAsync(MINUTE);
      expect((await ended).err).toContain('Nothing came');
    });
  });

  test('the page of another server is no export: the file of before stays', async () => {
    const { run, shell } = await setUp();
    const file = join(folder(), 'orders.csv');
    writeFileSync(file, 'order\r\n');
    const headers = { 'content-type': 'text/html' };
    shell.fetch = () => Promise.resolve(new Response('<!doctype html>', { headers }));
    const { code, err } = await run('export', 'orders', '--output', file);
    expect([code, err.includes('answered 200, and not as a companion')]).toEqual([1, true]);
    expect(readFileSync(file, 'utf8')).toBe('order\r\n');
  });

  test('what is no file, such as a pipe, is written to and not replaced', async () => {
    const { run } = await setUp();
    const pipe = join(folder(), 'pipe');
    execFileSync('mkfifo', [pipe]);
    const read = readFile(pipe, 'utf8');
    expect((await run('export', 'orders', '--output', pipe)).code).toBe(0);
    expect((await read).split('\r\n')[1]).toMatch(/^A-funded,/);
    expect(statSync(pipe).isFIFO()).toBe(true);
  });

  test('behind a link, what it leads to is replaced, and the link stays', async () => {
    const { run } = await setUp();
    const path = folder();
    const [file, link] = [join(path, 'orders.csv'), join(path, 'latest.csv')];
    for (const before of [undefined, 'order\r\n']) {
      if (before === undefined) symlinkSync('orders.csv', link);
      else writeFileSync(file, before);
      expect((await run('export', 'orders', '--output', link)).code).toBe(0);
      expect(readFileSync(file, 'utf8')).toMatch(/^order,.*\r\nA-funded,/);
      expect(lstatSync(link).isSymbolicLink()).toBe(true);
      expect(readdirSync(path).sort()).toEqual(['latest.csv', 'orders.csv']);
    }
  });

  test.each(['', '.'])('no file ("%s") is said before anything is asked', async (output) => {
    const { run, shell } = await setUp();
    const asked = vi.fn(shell.fetch);
    shell.fetch = asked;
    const { code, err } = await run('export', 'orders', '--output', output);
    expect([code, err]).toEqual([1, expect.stringContaining('--output')]);
    expect(asked).not.toHaveBeenCalled();
  });

  test.each([
    ['orders', '--state', 'open', '--state is of cases: leave it out.'],
    ['lines', '--days', '3', '--days is of cases: leave it out.'],
    ['cases', '--from', '2026-11-01', '--from is of all but cases: leave it out.'],
  ])('an option of another table is named: %s %s', async (table, option, value, message) => {
    const { run } = await setUp();
    expect(await run('export', table, option, value)).toEqual({ code: 1, out: '', err: message });
  });

  test.each([
    ['walk', '--json', '--decimal', 'comma'],
    ['walk', '--decimal', 'comma'],
    ['walk', '--format', 'svg', '--decimal', 'comma'],
    ['export', 'orders', '--format', 'ndjson', '--decimal', 'comma'],
    ['export', 'orders', '--format', 'ndjson', '--bom'],
  ])('how CSV is to be written is asked of CSV alone: %s %s %s %s', async (...words) => {
    const { run } = await setUp();
    const option = words.includes('--bom') ? '--bom' : '--decimal';
    const err = `${option} is of --format csv: leave it out.`;
    expect(await run(...words)).toEqual({ code: 1, out: '', err });
  });

  test('a walk is written in one format', async () => {
    const { run } = await setUp();
    const { code, out, err } = await run('walk', '--json', '--format', 'csv');
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/--json.*cannot be used with.*--format/);
  });

  test('a file that cannot be written is said', async () => {
    const { run } = await setUp();
    const { code, err } = await run('export', 'orders', '--output', join(folder(), 'no', 'file'));
    expect([code, err.includes('could not be written')]).toEqual([1, true]);
  });
});
