import { NotCheckable } from './finding.ts';
import {
  describe,
  fundingOperations,
  fundingPath,
  isObject,
  isRefused,
  isSuccess,
  jsonOf,
  oncePerSubject,
  type FundingOperation,
  type Subject,
} from './subject.ts';

export type FundingRecord = Readonly<Record<string, unknown>>;

/** The value of `showMissing` in a request. */
type ShowMissing = 'absent' | 'false' | 'true';

/** The response of one funding operation. */
interface Reading {
  operation: FundingOperation;
  /** The parsed JSON response; undefined if there is none. */
  body: unknown;
  /** Why `body` cannot be used, and which rule reports this. */
  problem: string | undefined;
}

/** The responses of every funding operation for each `showMissing`, at one point in time. */
interface FundingSnapshot {
  /** Whether no record was added during the snapshot, so that operations can be compared. */
  steady: boolean;
  readings: ReadonlyMap<string, Reading>;
}

/** Default page size, without `limit`. Source: docs.chargeafter.com, Funding API. */
export const PAGE = 1000;

/** Fields documented only for the report. Source: docs.chargeafter.com, Funding API. */
export const reportOnlyFields: readonly string[] = [
  'productType',
  'promoCode',
  'lenderReferenceId',
  'merchantTransactionId',
];

const ATTEMPTS = 3;

/** Reads the fundings once, so that all rules check the same state. */
export const fundingsOf = oncePerSubject(takeSnapshot);

/** Reads until the first and the last page agree, at most three times. */
async function takeSnapshot(subject: Subject): Promise<FundingSnapshot> {
  for (let attempt = 1; ; attempt++) {
    const readings = new Map<string, Reading>();
    const first = await read(subject, 'report', 'true');
    for (const operation of fundingOperations) {
      for (const showMissing of ['absent', 'false', 'true'] as const) {
        readings.set(`${operation} ${showMissing}`, await read(subject, operation, showMissing));
      }
    }
    const last = await read(subject, 'report', 'true');
    const steady = JSON.stringify(first) === JSON.stringify(last);
    if (steady || attempt === ATTEMPTS) return { steady, readings };
  }
}

async function read(
  subject: Subject,
  operation: FundingOperation,
  showMissing: ShowMissing,
): Promise<Reading> {
  const parameter = showMissing === 'absent' ? undefined : showMissing === 'true';
  const exchange = await subject.get(fundingPath(subject.options, operation, parameter));
  const name = `${operation} with showMissing ${showMissing}`;
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

/** @throws {NotCheckable} when the operation did not return JSON */
export function bodyOf(
  { readings }: FundingSnapshot,
  operation: FundingOperation,
  showMissing: ShowMissing,
): unknown {
  const reading = readings.get(`${operation} ${showMissing}`);
  if (!reading || reading.problem !== undefined) {
    throw new NotCheckable(reading?.problem ?? 'It was not read.');
  }
  return reading.body;
}

/** Returns the records of a response `{records: [...]}`. @throws {NotCheckable} */
export function recordsOf(
  snapshot: FundingSnapshot,
  operation: FundingOperation,
  showMissing: ShowMissing,
): readonly FundingRecord[] {
  const body = bodyOf(snapshot, operation, showMissing);
  const records = isObject(body) ? body.records : undefined;
  if (!Array.isArray(records) || !records.every(isObject)) {
    throw new NotCheckable(`The answer of ${operation} has no list of records: see 2.shape.`);
  }
  return records;
}

export const withStatus = (records: readonly FundingRecord[], ...statuses: string[]) =>
  records.filter(({ status }) => typeof status === 'string' && statuses.includes(status));

/** @throws {NotCheckable} when records were added between the requests to compare */
export function needsSteady({ steady }: FundingSnapshot): void {
  if (!steady) {
    throw new NotCheckable('Records changed while they were read: choose a window in the past.');
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
/** The fields of {@link identity} that every record has. */
const required = identity.slice(0, 4);

interface Pairing {
  pairs: readonly (readonly [FundingRecord, FundingRecord])[];
  onlyLeft: readonly FundingRecord[];
  onlyRight: readonly FundingRecord[];
}

/**
 * Pairs the records of the same funding in two responses. No field identifies a funding, so records
 * are paired by lender, transaction and date, and identical records by position.
 * @throws {NotCheckable} when a record lacks a field of its identity
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
