import { NotCheckable } from './rule.ts';
import {
  describe,
  fundingOperations,
  fundingPath,
  isObject,
  isRefused,
  isSuccess,
  jsonOf,
  type FundingOperation,
  type Subject,
} from './subject.ts';

export type FundingRecord = Readonly<Record<string, unknown>>;

/** What `showMissing` was. */
export type Asked = 'absent' | 'false' | 'true';

/** One funding operation as it was answered. */
export interface Reading {
  operation: FundingOperation;
  /** The JSON of the answer; throws when there is none to judge. */
  body: unknown;
  /** Why `body` cannot be used, naming the rule that says so. */
  problem: string | undefined;
}

/** Every funding operation, asked in every way, as it stood at one time. */
export interface FundingSnapshot {
  /** Whether nothing arrived while it was read: then operations can be compared. */
  steady: boolean;
  readings: ReadonlyMap<string, Reading>;
}

/** A page is this long when `limit` is absent. Source: docs.chargeafter.com, Funding API. */
export const PAGE = 1000;

/** Documented in the report only. Source: docs.chargeafter.com, Funding API. */
export const reportOnlyFields: readonly string[] = [
  'productType',
  'promoCode',
  'lenderReferenceId',
  'merchantTransactionId',
];

const ATTEMPTS = 3;
const snapshots = new WeakMap<Subject, Promise<FundingSnapshot>>();

/** Read once for all rules, so that they judge the same state. */
export function fundingsOf(subject: Subject): Promise<FundingSnapshot> {
  const known = snapshots.get(subject);
  if (known) return known;
  const reading = takeSnapshot(subject);
  snapshots.set(subject, reading);
  return reading;
}

/** Reads until the first and the last page agree, a few times at most. */
async function takeSnapshot(subject: Subject): Promise<FundingSnapshot> {
  for (let attempt = 1; ; attempt++) {
    const readings = new Map<string, Reading>();
    const first = await read(subject, 'report', 'true');
    for (const operation of fundingOperations) {
      for (const asked of ['absent', 'false', 'true'] as const) {
        readings.set(`${operation} ${asked}`, await read(subject, operation, asked));
      }
    }
    const last = await read(subject, 'report', 'true');
    const steady = JSON.stringify(first) === JSON.stringify(last);
    if (steady || attempt === ATTEMPTS) return { steady, readings };
  }
}

async function read(subject: Subject, operation: FundingOperation, asked: Asked): Promise<Reading> {
  const showMissing = asked === 'absent' ? undefined : asked === 'true';
  const exchange = await subject.get(fundingPath(subject.options, operation, showMissing));
  const name = `${operation} with showMissing ${asked}`;
  const body = jsonOf(exchange);
  const problem = isRefused(exchange)
    ? 'The private key is refused: see 5.2.'
    : !isSuccess(exchange)
      ? `${name}: ${describe(exchange)}, see 4.${operation}.`
      : body === undefined
        ? `${name}: the answer is not JSON, see 4.${operation}.`
        : undefined;
  return { operation, body, problem };
}

/** @throws {NotCheckable} when the operation did not answer JSON */
export function bodyOf(
  { readings }: FundingSnapshot,
  operation: FundingOperation,
  asked: Asked,
): unknown {
  const reading = readings.get(`${operation} ${asked}`);
  if (!reading || reading.problem !== undefined) {
    throw new NotCheckable(reading?.problem ?? 'It was not read.');
  }
  return reading.body;
}

/** The records of an answer `{records: [...]}`. @throws {NotCheckable} */
export function recordsOf(
  snapshot: FundingSnapshot,
  operation: FundingOperation,
  asked: Asked,
): readonly FundingRecord[] {
  const body = bodyOf(snapshot, operation, asked);
  const records = isObject(body) ? body.records : undefined;
  if (!Array.isArray(records) || !records.every(isObject)) {
    throw new NotCheckable(`The answer of ${operation} has no list of records: see 2.shape.`);
  }
  return records;
}

export const withStatus = (records: readonly FundingRecord[], ...statuses: string[]) =>
  records.filter(({ status }) => typeof status === 'string' && statuses.includes(status));

/** @throws {NotCheckable} when records came in between two readings that are to be compared */
export function needsSteady({ steady }: FundingSnapshot): void {
  if (!steady) {
    throw new NotCheckable('Records changed while they were read: choose a window that is closed.');
  }
}

const identity = [
  'fundedAt',
  'lenderName',
  'transactionType',
  'transactionAmount',
  'transactionId',
  'merchantOrderId',
] as const;
/** Those of them that every record has. */
const required = identity.slice(0, 4);

export interface Pairing {
  pairs: readonly (readonly [FundingRecord, FundingRecord])[];
  onlyLeft: readonly FundingRecord[];
  onlyRight: readonly FundingRecord[];
}

/**
 * The same funding in two operations' answers: no field identifies one, so it is who funded what
 * when, and among alike ones the order.
 * @throws {NotCheckable} when a record lacks what tells it from others
 */
export function pairUp(left: readonly FundingRecord[], right: readonly FundingRecord[]): Pairing {
  for (const record of [...left, ...right]) {
    if (required.some((field) => record[field] === undefined)) {
      throw new NotCheckable('A record lacks a field that every record has: see 2.shape.');
    }
  }
  const waiting = Map.groupBy(right, keyOf);
  const pairs: [FundingRecord, FundingRecord][] = [];
  const onlyLeft: FundingRecord[] = [];
  for (const record of left) {
    const match = waiting.get(keyOf(record))?.shift();
    if (match) pairs.push([record, match]);
    else onlyLeft.push(record);
  }
  return { pairs, onlyLeft, onlyRight: [...waiting.values()].flat() };
}

const keyOf = (record: FundingRecord) =>
  JSON.stringify(identity.map((field) => record[field] ?? null));
