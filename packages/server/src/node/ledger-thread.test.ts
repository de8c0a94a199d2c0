import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { BACK_OFFICE_TOKEN, createCompanion } from '../companion.fixture.ts';
import type { StoreLocation } from '../config/store.ts';
import { Secret } from '../keys/secret.ts';
import { createDatabase } from '../postgres.fixture.ts';
import { ImportBusyError, LedgerImportError } from '../reconciliation/ledger/columns.ts';
import { createLedgerImport as createImportHere } from '../reconciliation/ledger/ledger-import.ts';
import { StoreUnavailableError } from '../store/unavailable.ts';
import { createLedgerImport, PIECE_BYTES } from './ledger-thread.ts';
import { listen } from './listen.ts';
import { openStore } from './store.ts';

const environment = 'sandbox';
const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** The threads that were started since. */
function watchThreads(): Worker[] {
  const threads: Worker[] = [];
  const hear = (thread: Worker) => threads.push(thread);
  process.on('worker', hear);
  cleanups.push(() => void process.off('worker', hear));
  return threads;
}

function sqliteFile(): { kind: 'sqlite'; file: string } {
  const folder = mkdtempSync(join(tmpdir(), 'ledger-thread-'));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  return { kind: 'sqlite', file: join(folder, 'companion.db') };
}

async function open(location: StoreLocation) {
  const store = await openStore(location, 'on-start');
  cleanups.push(() => store.close());
  const imports = createLedgerImport({ environment, location, store });
  cleanups.push(() => imports.close());
  return { store, imports };
}

/** A companion on a file, and what anybody sees in that file. */
async function openFile() {
  const location = sqliteFile();
  const opened = await open(location);
  const database = new DatabaseSync(location.file, { timeout: 5_000 });
  cleanups.push(() => database.close());
  const count = (table: string) =>
    Number(database.prepare(`select count(*) as count from ${table}`).get()?.count);
  /** The import that was last begun. */
  const last = () => database.prepare('select state, lines, added from ledger_imports').get() ?? {};
  return { ...opened, database, count, last };
}

const line = (number: number, change: object = {}) =>
  `${JSON.stringify({
    merchantOrderId: `A-${number}`,
    type: 'settle',
    amount: 100,
    currency: 'USD',
    date: '2026-03-01',
    merchantTransactionId: `M-${number}`,
    ...change,
  })}\n`;
const encoder = new TextEncoder();
const PER_PIECE = 100;

/** A file of lines, in pieces that have a buffer of their own. */
async function* file(pieces: number): AsyncGenerator<Uint8Array> {
  for (let piece = 0; piece < pieces; piece++) {
    const numbers = Array.from({ length: PER_PIECE }, (_, at) => piece * PER_PIECE + at);
    yield await Promise.resolve(encoder.encode(numbers.map((number) => line(number)).join('')));
  }
}

describe.each<[string, () => Promise<StoreLocation> | StoreLocation]>([
  ['SQLite', sqliteFile],
  [
    'PostgreSQL',
    async () => ({
      kind: 'postgres',
      name: 'the database',
      url: new Secret(await createDatabase(inject('postgresUrl'))),
    }),
  ],
])('an import in a thread on %s', (_, place) => {
  test('reports what an import here reports, whatever the pieces are', async () => {
    const { store, imports } = await open(await place());
    const text = [1, 2, 3].map((it) => line(it, { note: 'é'.repeat(20_000) })).join('');
    const bytes = encoder.encode(`${text}${line(4, { amount: 0 })}`);
    const here = createImportHere({
      environment,
      store,
      clock: { now: () => Date.now(), after: () => () => undefined },
    });
    const dry = await here.run(ReadableStream.from([bytes.slice()]), { dryRun: true });
    // One that is longer than a piece may be, and parts of a buffer that they share.
    const odd = [bytes.slice(0, PIECE_BYTES + 1), bytes.subarray(PIECE_BYTES + 1, -7)];
    const input = [...odd, Buffer.from(bytes.subarray(-7)), new Uint8Array(0)];
    expect(await imports.run(ReadableStream.from(input), { dryRun: true })).toEqual(dry);
    expect(dry).toMatchObject({ lines: 4, errorCount: 1 });
    expect(await imports.run(ReadableStream.from([encoder.encode(text)]))).toMatchObject({
      applied: true,
      added: 3,
    });
    expect(bytes.byteLength).toBeGreaterThan(PIECE_BYTES);
    expect(await store.oldestLedgerLine(environment)).toBe(Date.UTC(2026, 2, 1));
  });

  test('a sender that leaves in the middle ends it, and nothing of it is left', async () => {
    const { store, imports } = await open(await place());
    const gone = new TypeError('The sender is gone.');
    async function* halfAFile() {
      yield* file(10);
      throw gone;
    }
    await expect(imports.run(halfAFile())).rejects.toBe(gone);
    await expect(imports.run(halfAFile(), { format: 'json' })).resolves.toMatchObject({
      applied: false,
    });
    expect(await store.oldestLedgerLine(environment)).toBeUndefined();
    expect(await imports.run(file(1))).toMatchObject({ applied: true, added: PER_PIECE });
  });

  test('an import that is refused says why, and its file is not read', async () => {
    const { store, imports } = await open(await place());
    let isRead = false;
    async function* unread() {
      isRead = true;
      yield* file(1);
    }
    const zone = await imports.run(unread(), { zone: 'Berlin' }).catch((error: unknown) => error);
    expect(zone).toBeInstanceOf(LedgerImportError);
    expect(zone).toMatchObject({ message: expect.stringContaining('IANA') as string });
    const other = { environment, id: 'other' };
    await store.beginImport(
      other,
      { action: 'add', source: 'import' },
      Date.now(),
      Date.now() + 60_000,
    );
    await expect(imports.run(unread())).rejects.toThrow(
      new ImportBusyError('Another import is under way: try again when it has ended.'),
    );
    expect(isRead).toBe(false);
  });
});

test('only so much of a file is under way as the thread has room for', async () => {
  const { imports, last } = await openFile();
  let ahead = 0;
  async function* watched() {
    let sent = 0;
    for await (const piece of file(200)) {
      ahead = Math.max(ahead, sent - Number(last().lines));
      yield piece;
      sent += PER_PIECE;
    }
  }
  expect(await imports.run(watched())).toMatchObject({ added: 200 * PER_PIECE });
  // A batch, and sixteen pieces.
  expect(ahead).toBeLessThan(4_000);
});

test('an error of the database keeps its name and place, and none of its words', async () => {
  const { imports, database } = await openFile();
  database.exec(`create trigger reveal before insert on ledger_import_lines
    begin select raise(abort, 'A-1 is here'); end`);
  const error = await imports.run(file(1)).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Error);
  const { name, message, stack } = error as Error;
  expect([name, message]).toEqual(['Error', 'The thread failed (Error).']);
  expect(stack).toContain('sqlite-file');
  expect(stack).not.toContain('A-1');
  database.exec('drop trigger reveal');
  expect(await imports.run(file(1))).toMatchObject({ applied: true });
});

test('a database that cannot be used is told as such', async () => {
  const { store } = await openFile();
  const location = sqliteFile();
  writeFileSync(location.file, 'This is no database. '.repeat(100));
  const imports = createLedgerImport({ environment, location, store });
  await expect(imports.run(file(1))).rejects.toThrow(StoreUnavailableError);
});

test('a thread that dies leaves the file to others, and to the next import what it staged', async () => {
  const { imports, store, database, count, last } = await openFile();
  const threads = watchThreads();
  // Before it was decided: all of it is cleared away. `Date` in the thread is the real one.
  async function* endless() {
    for (;;) {
      yield* file(50);
      if (Number(last().lines) > 0) await threads[0]?.terminate();
    }
  }
  await expect(imports.run(endless())).rejects.toThrow('"ledger-import" has ended');
  expect(count('ledger_import_lines')).toBeGreaterThan(0);
  await store.beginPrime(prime('a'));
  await expect(imports.run(file(1))).rejects.toThrow('Another import is under way');
  database.exec('update ledger_imports set until = 0');
  expect(await imports.resume()).toBe(0);
  expect([count('ledger_import_lines'), count('ledger_lines')]).toEqual([0, 0]);

  // After it: it is carried through.
  threads.length = 0;
  const run = imports.run(file(200)).catch((error: unknown) => error);
  while (Number(last().added) === 0) await setImmediate();
  await threads[0]?.terminate();
  expect(await run).toBeInstanceOf(Error);
  expect(last()).toMatchObject({ state: 'applying', lines: 200 * PER_PIECE });
  database.exec('update ledger_imports set until = 0');
  const left = count('ledger_import_lines');
  expect(await imports.resume()).toBe(left);
  expect([count('ledger_import_lines'), count('ledger_lines')]).toEqual([0, 200 * PER_PIECE]);
});

test('where nothing is left over no thread is started', async () => {
  const { imports, store } = await openFile();
  const threads = watchThreads();
  expect(await imports.resume()).toBe(0);
  // One that is under way is nobody else's.
  await store.beginImport(
    { environment, id: 'other' },
    { action: 'add', source: 'api' },
    Date.now(),
    Date.now() + 60_000,
  );
  expect(await imports.resume()).toBe(0);
  expect(threads).toEqual([]);
});

test('checkouts write meanwhile', async () => {
  const { imports, store, count, last } = await openFile();
  let written = 0;
  const progress = { ended: false };
  const run = imports.run(file(200)).finally(() => (progress.ended = true));
  while (!progress.ended) {
    const key = `key-${written}`;
    await store.beginPrime(prime(key));
    await store.beginImport(
      { environment: 'uat', id: key },
      { action: 'add', source: 'api' },
      1,
      2,
    );
    if (last().state !== 'done') written += 1;
  }
  expect(await run).toMatchObject({ added: 200 * PER_PIECE });
  expect(written).toBeGreaterThan(10);
  expect(count('idempotency')).toBeGreaterThanOrEqual(written);
});

test('closing ends what is under way', async () => {
  const { imports, last } = await openFile();
  let asked = 0;
  async function* slow() {
    yield* file(10);
    asked += 1;
    await new Promise(() => undefined);
  }
  const run = imports.run(slow()).catch((error: unknown) => error);
  while (asked === 0 || Number(last().lines) === 0) await setImmediate();
  await imports.close();
  expect(await run).toBeInstanceOf(Error);
});

function prime(key: string) {
  const attempt = { id: `att_${key}`, kind: 'prime' as const };
  return {
    key,
    fingerprint: key,
    attempt: {
      ...attempt,
      checkoutId: undefined,
      merchantTransactionId: undefined,
      requestId: undefined,
    },
    order: { environment, merchantOrderId: key } as const,
    now: 1,
    leaseUntil: 2,
  };
}

test('one that is refused before all of it is there: the rest is thrown away, the connection goes on', async () => {
  const { store, imports } = await openFile();
  const { backOffice } = await createCompanion({ store, ledgerImport: imports });
  const listener = await listen(backOffice, { host: '127.0.0.1', port: 0 });
  cleanups.push(() => listener.drain(0));
  const socket = connect(Number(new URL(listener.url).port), '127.0.0.1');
  cleanups.push(() => void socket.destroy());
  let received = '';
  socket.on('data', (bytes: Buffer) => (received += bytes.toString()));
  socket.write(
    `POST /reconciliation/ledger?units=minor HTTP/1.1\r\nhost: companion\r\ncontent-type: text/csv\r\n` +
      `authorization: Bearer ${BACK_OFFICE_TOKEN}\r\ntransfer-encoding: chunked\r\n\r\n`,
  );
  const lines = 'none,of,the,columns\n'.repeat(50_000);
  for (let chunk = 0; chunk < 4; chunk++) {
    socket.write(`${lines.length.toString(16)}\r\n${lines}\r\n`);
  }
  await expect.poll(() => received).toContain('file-unreadable');
  socket.write('0\r\n\r\nGET /livez HTTP/1.1\r\nhost: companion\r\n\r\n');
  await expect.poll(() => received).toContain('{"status":"ok"}');
});
