import { MoneyError } from '@financing-checkout/contract/plain';
import { isKeepableText } from '../store/keepable-text.ts';
import { minorUnits } from './amounts.ts';
import type { Calendar } from './calendar.ts';
import { type PersonalData, withoutPerson } from './personal.ts';

/** Turns text or bytes into a short digest: SHA-256, its first 132 bits in base64url. */
export type Digest = (data: string | Uint8Array) => string;

/** A record as it was read, before anybody knows its currency. */
export interface ReadRecord {
  /** The day it belongs to; of one whose date cannot be read, the day that was asked for. */
  day: string;
  /** What it is known by within its day: `identity`, and its number among those with the same one. */
  identity: string;
  /** The order it names, or undefined. */
  merchantOrderId: string | undefined;
  /** Of all that is in it, whatever the order of its fields. */
  hash: string;
  /** As it came, without names and e-mail addresses, as JSON: as text it takes half the memory. */
  readonly raw: string;
  /** Why it cannot be held, or undefined. */
  unreadable: string | undefined;
}

/** Records of one day, out of one page. */
export interface Bundle extends Iterable<ReadRecord> {
  readonly length: number;
  /** What they take while they wait. */
  readonly bytes?: number;
  /** Gives back the memory of what they came as; none of them is read afterwards. */
  free?(): void;
}

/** As much as a record takes, of which nothing else is known. */
const BYTES_OF_RECORD = 750;

/** Records of one day, out of one window. */
export class DayRecords implements Iterable<ReadRecord> {
  readonly bundles: readonly Bundle[];
  readonly length: number;
  /** What they take while they wait, about. */
  readonly bytes: number;

  constructor(bundles: readonly Bundle[]) {
    this.bundles = bundles;
    this.length = bundles.reduce((sum, { length }) => sum + length, 0);
    this.bytes = bundles.reduce(
      (sum, { length, bytes = length * BYTES_OF_RECORD }) => sum + bytes,
      0,
    );
  }

  *[Symbol.iterator](): Generator<ReadRecord> {
    for (const bundle of this.bundles) yield* bundle;
  }

  /** Gives back the memory of what they came as; none of them is read afterwards. */
  free(): void {
    for (const bundle of this.bundles) bundle.free?.();
  }
}

/** A record of the service: no field of it can be relied on. */
export type WireFunding = Record<string, unknown>;

export interface RecordContext {
  calendar: Calendar;
  digest: Digest;
  personal: PersonalData;
}

/** The fields that make a record what it is. */
const lasting = [
  'transactionType',
  'fundedAt',
  'transactionAmount',
  'discountAmount',
  'netAmount',
  'merchantOrderId',
  'chargeId',
] as const;
/** Those that change; `lenderName` may for the same lender, and the record has no id of it. */
const changing = [
  'lenderName',
  'status',
  'updatedAt',
  'transactionDate',
  'productType',
  'promoCode',
  'transactionId',
  'merchantTransactionId',
  'lenderReferenceId',
] as const;
const documented = [...lasting, ...changing];
const listed: ReadonlySet<string> = new Set(documented);

/**
 * Takes what stands in a page in the place of a record. Of what is none nothing is kept but that it
 * came: it may be anything, a name too.
 * @param asked the day that was asked for
 */
export function readElement(element: unknown, asked: string, context: RecordContext): ReadRecord {
  if (isRecord(element)) return readRecord(element, asked, context);
  return { ...readRecord({}, asked, context), unreadable: NO_RECORD };
}

function isRecord(element: unknown): element is WireFunding {
  return typeof element === 'object' && element !== null && !Array.isArray(element);
}

const NO_RECORD = 'it is no record';

/** Takes a record as the service sent it. @param asked the day that was asked for */
export function readRecord(
  record: Record<string, unknown>,
  asked: string,
  { calendar, digest, personal }: RecordContext,
): ReadRecord {
  withoutPerson(record, personal);
  const content = documented.map((name) => textOf(record[name]));
  content.push(otherFields(record));
  const posted = readPosted(record.fundedAt, calendar);
  const isNamed = isKeepableOrder(record.merchantOrderId);
  return {
    day: posted === undefined ? asked : calendar.dayOf(posted),
    identity: identityOf(record, digest),
    // What cannot be kept is in no key, either: one such record would stop every sync.
    merchantOrderId: isNamed ? idOf(record.merchantOrderId) : undefined,
    hash: digest(content.join('\u0000')),
    raw: JSON.stringify(record),
    unreadable:
      posted === undefined ? NOT_POSTED : isNamed ? undefined : `merchantOrderId ${NOT_KEEPABLE}`,
  };
}

/** What programs write that know no date lies before, and what they write for "never" behind. */
const [FIRST_POSTED, LAST_POSTED] = [Date.UTC(2000, 0, 1), Date.UTC(3000, 0, 1)];
const NOT_POSTED = 'fundedAt is not a date, or not of the years 2000 to 2999';

/** Undefined for what is no date, or of a year in which nothing is posted: nobody asks for its day. */
function readPosted(text: unknown, calendar: Calendar): number | undefined {
  const time = typeof text === 'string' ? calendar.read(text) : undefined;
  return time !== undefined && time >= FIRST_POSTED && time < LAST_POSTED ? time : undefined;
}

const MAX_TEXT = 1_024;
const NOT_KEEPABLE = 'is too long, or holds a NUL or half a character';

function isKeepable(value: unknown): boolean {
  return typeof value !== 'string' || (value.length <= MAX_TEXT && isKeepableText(value));
}

/**
 * An order's id is in the keys of tables, and PostgreSQL takes 2,704 bytes for all of a key. The service
 * knows no longer one than 256 characters (reference: Charge API), which are 1,024 bytes at most.
 */
const MAX_ORDER_BYTES = 2_048;
const BYTES_OF_UNIT = 3;

function isKeepableOrder(value: unknown): boolean {
  if (!isKeepable(value)) return false;
  if (typeof value !== 'string' || value.length * BYTES_OF_UNIT <= MAX_ORDER_BYTES) return true;
  return new TextEncoder().encode(value).length <= MAX_ORDER_BYTES;
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

/** Fields that are not documented, in an order of ours: the service may change theirs. */
function otherFields(record: Record<string, unknown>): string {
  let others: string[] | undefined;
  for (const name in record) {
    if (listed.has(name)) continue;
    const value = record[name];
    if (value !== undefined) (others ??= []).push(`${name}=${JSON.stringify(value)}`);
  }
  return others === undefined ? '' : others.sort().join('\u0000');
}

/**
 * An id that the service knows; it leaves one out, or sends null or an empty text. Blanks around it are
 * none of it, as in a ledger that is imported: padded on one side alone, two would never meet.
 */
function idOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? value.trim() || undefined : undefined;
}

const plainId = /^[\w.-]{1,64}$/;

/**
 * The most lasting thing a record can be known by. A funding the service has no match for is found
 * again by the lender's reference once it has one; without any id its content must do.
 */
function identityOf(record: Record<string, unknown>, digest: Digest): string {
  const type = textOf(record.transactionType);
  const [kind, id] =
    first('r', record.lenderReferenceId) ??
    first('t', record.transactionId) ??
    first('m', record.merchantTransactionId) ??
    (['c', undefined] as const);
  if (id === undefined) {
    return `c.${digest(lasting.map((name) => `${textOf(record[name])}\u0000`).join(''))}`;
  }
  return plainId.test(id) && plainId.test(type)
    ? `${kind}.${id}.${type}`
    : `${kind}h.${digest(`${id}\u0000${type}`)}`;
}

function first(kind: 'r' | 't' | 'm', value: unknown): readonly [string, string] | undefined {
  const id = idOf(value);
  return id === undefined ? undefined : [kind, id];
}

/** A record as it is held. Money in minor units of `currency`, times in milliseconds since 1970. */
export interface HeldFunding {
  id: string;
  orderKey: string;
  currency: string;
  sliceDay: string;
  merchantOrderId: string | null;
  status: string;
  transactionType: string;
  lenderName: string;
  transactionAmount: number;
  discountAmount: number;
  netAmount: number;
  fundedAt: number;
  updatedAt: number;
  transactionDate: number | null;
  transactionId: string | null;
  merchantTransactionId: string | null;
  chargeId: string | null;
  lenderReferenceId: string | null;
  productType: string | null;
  promoCode: string | null;
  hash: string;
}

/** Why a record cannot be held; its words name a field and never repeat a value. */
export class RecordError extends Error {
  override readonly name = 'RecordError';
}

/** What a record is filed under. */
export interface FiledRecord extends Pick<ReadRecord, 'hash' | 'raw' | 'merchantOrderId'> {
  id: string;
  day: string;
  orderKey: string;
}

/** @throws {RecordError} when it cannot be held as it is */
export function holdRecord(filed: FiledRecord, currency: string, calendar: Calendar): HeldFunding {
  const record = JSON.parse(filed.raw) as WireFunding;
  const text = (name: string): string => {
    const value = record[name];
    if (typeof value !== 'string') throw new RecordError(`${name} is missing`);
    return value;
  };
  for (const name of listed) {
    const isKept = name === 'merchantOrderId' ? isKeepableOrder : isKeepable;
    if (!isKept(record[name])) throw new RecordError(`${name} ${NOT_KEEPABLE}`);
  }
  const amount = (name: string): number => {
    try {
      return minorUnits(record[name], currency);
    } catch (error) {
      if (!(error instanceof MoneyError)) throw error;
      throw new RecordError(`${name}: ${error.code}`);
    }
  };
  const date = (name: string): number => {
    const time = calendar.read(text(name));
    if (time === undefined) throw new RecordError(`${name} is not a date`);
    return time;
  };
  const { transactionDate } = record;
  const fundedAt = readPosted(text('fundedAt'), calendar);
  if (fundedAt === undefined) throw new RecordError(NOT_POSTED);
  return {
    id: filed.id,
    orderKey: filed.orderKey,
    currency,
    sliceDay: filed.day,
    merchantOrderId: filed.merchantOrderId ?? null,
    status: text('status'),
    transactionType: text('transactionType'),
    lenderName: text('lenderName'),
    transactionAmount: amount('transactionAmount'),
    discountAmount: amount('discountAmount'),
    netAmount: amount('netAmount'),
    fundedAt,
    updatedAt: date('updatedAt'),
    transactionDate: typeof transactionDate === 'string' ? date('transactionDate') : null,
    transactionId: idOf(record.transactionId) ?? null,
    merchantTransactionId: idOf(record.merchantTransactionId) ?? null,
    chargeId: idOf(record.chargeId) ?? null,
    lenderReferenceId: idOf(record.lenderReferenceId) ?? null,
    productType: idOf(record.productType) ?? null,
    promoCode: idOf(record.promoCode) ?? null,
    hash: filed.hash,
  };
}
