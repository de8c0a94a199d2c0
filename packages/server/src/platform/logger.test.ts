import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { StoreUnavailableError } from './store-errors.ts';
import { describeError, listedFields } from './logger.ts';

const SECRET = 'ada.quill@example.com';

test('logs the class, code and location of an unexpected error, but not its message, which may contain input', () => {
  const error = Object.assign(new RangeError(SECRET), { code: 'EXAMPLE', detail: SECRET });
  const described = describeError(error);
  expect(described).toMatchObject({ errorName: 'RangeError', code: 'EXAMPLE' });
  expect(described.frames?.[0]).toContain('logger.test.ts');
  expect(JSON.stringify(described)).not.toContain(SECRET);
  expect(describeError(Object.assign(new Error(), { code: { of: SECRET } })).code).toBeUndefined();
  expect(describeError(SECRET)).toEqual({ errorName: 'string' });
});

test('logs the reason why a store is unavailable, distinguishing full from read-only', () => {
  const folder = mkdtempSync(join(tmpdir(), 'companion-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'store.db');
  const writer = new DatabaseSync(file);
  // Limits the database to its current number of pages.
  writer.exec('create table t (text); pragma max_page_count = 2');
  const reader = new DatabaseSync(file, { readOnly: true });
  onTestFinished(() => [reader, writer].forEach((db) => db.close()));
  const codeOf = (db: DatabaseSync) => {
    try {
      db.exec('insert into t values (zeroblob(65536))');
    } catch (error) {
      return describeError(new StoreUnavailableError('unusable', { cause: error })).code;
    }
    throw new Error('It was written.');
  };
  expect([codeOf(writer), codeOf(reader)]).toEqual(['SQLITE_FULL', 'SQLITE_READONLY']);
});

test('writes only the listed fields', () => {
  const fields = { requestId: 'req_1', email: SECRET, status: undefined };
  expect(listedFields(fields)).toEqual({ requestId: 'req_1' });
  expect(JSON.stringify(listedFields(fields))).not.toContain(SECRET);
});

test('lists the fields of a line, none of which contains a value from a person or a request', () => {
  const anything = new Proxy({}, { get: (_, name) => name });
  expect(Object.keys(listedFields(anything)).sort()).toEqual([
    'actor',
    'address',
    'attemptId',
    'chargeId',
    'checkoutId',
    'code',
    'count',
    'deliveryId',
    'detail',
    'durationMs',
    'errorName',
    'fields',
    'frames',
    'keySlot',
    'method',
    'operationId',
    'outcome',
    'reason',
    'requestId',
    'route',
    'security',
    'serviceRequestId',
    'signal',
    'status',
    'tries',
  ]);
});

test('keeps an error message of any number of lines out of the stack frames', () => {
  const { frames = [] } = describeError(new Error(`${SECRET}\n    at ${SECRET}\n${SECRET}`));
  expect(frames.length).toBeGreaterThan(0);
  expect(frames.length).toBeLessThanOrEqual(8);
  expect(frames.join()).not.toContain(SECRET);
});
