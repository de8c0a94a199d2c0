import type { Calendar } from '@financing-checkout/reconciliation-rules/calendar';
import { sha256 } from '../platform/digest.ts';
import { documentedFields, fieldText, isUnknownField, otherFields } from './personal.ts';
import {
  isPlainDate,
  NO_DATE,
  NO_RECORD,
  NOT_KEEPABLE,
  type PageField,
  pageFields,
} from './record-sql.ts';

export interface PageContext {
  calendar: Calendar;
}

/** A parsed page. */
export interface ReadPage {
  count: number;
  /**
   * Tab-separated lines for SQL: a record's position, then {@link pageFields}. They contain only
   * documented fields, so that no name reaches a database.
   */
  content: Uint8Array;
  /** Maximum length of a line in bytes. */
  longest: number;
  /** Returns a record's identity, by position. */
  keyOf: (ordinal: number) => string;
}

type Field = (typeof documentedFields)[number];
/** A record's fields that SQL reads. */
type PageRecord = Partial<Record<PageField, string | number | null>>;
const dates: ReadonlySet<Field> = new Set(['fundedAt', 'updatedAt', 'transactionDate']);
const amounts: ReadonlySet<Field> = new Set(['transactionAmount', 'discountAmount', 'netAmount']);
const words: ReadonlySet<Field> = new Set(['status', 'transactionType', 'lenderName']);

const decoder = new TextDecoder('utf-8', { fatal: true });
const encoder = new TextEncoder();

/** Numbers that exceed the precision of a double, which are kept as text. */
const longAmount = /(Amount"\s*:\s*)(-?(?:[\d.]{16,}(?:[eE][+-]?\d+)?|[\d.]+[eE][+-]?\d+))/g;

/**
 * Parses a page from the service and writes its records' documented fields for SQL. Cleans a record
 * in an undocumented form, so that SQL encounters only expected forms.
 * @returns undefined for a body that is not a page
 */
export function readPage(bytes: Uint8Array, context: PageContext): ReadPage | undefined {
  let records: readonly unknown[] | undefined;
  try {
    const text = decoder.decode(bytes).replace(longAmount, '$1"$2"');
    records = recordsOfPage(JSON.parse(text));
  } catch {
    return undefined;
  }
  if (!records) return undefined;
  let content = '';
  let longest = 0;
  for (const [place, record] of records.entries()) {
    const line = lineOf(place, isAsDocumented(record) ? record : clean(record, context));
    longest = Math.max(longest, line.length * BYTES_OF_UNIT);
    content += line;
  }
  return {
    count: records.length,
    content: encoder.encode(content),
    longest,
    keyOf: (at) => keyOf(records[at]),
  };
}

const special = /["\t\r\n]/;

function lineOf(place: number, record: PageRecord): string {
  let line = String(place);
  for (const name of pageFields) line += `\t${cellOf(record[name])}`;
  return `${line}\n`;
}

/** Returns a cell, quoted where needed, because an empty cell without quotes is null. */
function cellOf(value: PageRecord[PageField]): string {
  if (value === undefined || value === null) return '';
  const text = String(value);
  return text === '' || special.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Fields of an error body, in both documented spellings. */
const errorFields = ['errors', 'Errors', 'message', 'Message', 'requestId', 'RequestId'];

/**
 * Returns a page's records, or undefined for a body that is not a page. `records` is optional
 * (reference: Funding API): a page without it is empty, unless it is an error body with a 2xx
 * status.
 */
function recordsOfPage(body: unknown): unknown[] | undefined {
  if (!isObject(body)) return undefined;
  const { records } = body;
  if (Array.isArray(records)) return records as unknown[];
  const isEmpty = records === undefined || records === null;
  return isEmpty && !errorFields.some((field) => field in body) ? [] : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const MAX_TEXT = 1_024;
/**
 * Maximum length of an order id in bytes, because it is part of table keys, and PostgreSQL limits
 * an entire key to 2,704 bytes.
 */
const MAX_ORDER_BYTES = 2_048;
const BYTES_OF_UNIT = 3;

function isKeepable(name: string, text: string): boolean {
  if (text.length > MAX_TEXT || text.includes('\u0000') || !text.isWellFormed()) return false;
  return (
    name !== 'merchantOrderId' ||
    text.length * BYTES_OF_UNIT <= MAX_ORDER_BYTES ||
    Buffer.byteLength(text) <= MAX_ORDER_BYTES
  );
}

/** Returns whether SQL can read a record's documented fields in their original form. */
function isAsDocumented(record: unknown): record is PageRecord {
  if (!isObject(record)) return false;
  let isEmpty = true;
  for (const name in record) {
    if (isUnknownField(name)) return false;
    const value = record[name];
    if (value === null) continue;
    isEmpty = false;
    if (typeof value === 'string') {
      if (!isKeepable(name, value) || hasOuterBlanks(value)) return false;
      if (dates.has(name as Field) && !isPlainDate(value)) return false;
    } else if (typeof value !== 'number' || !amounts.has(name as Field)) return false;
  }
  return !isEmpty;
}

/** Returns a record with its documented fields and a digest of the others. */
function clean(record: unknown, { calendar }: PageContext): PageRecord {
  if (!isObject(record)) return { problem: NO_RECORD };
  const others = otherFields(record);
  const cleaned: PageRecord = {};
  let problem: string | undefined;
  for (const name of documentedFields) {
    const value = record[name];
    if (value === undefined || value === null) continue;
    const text =
      typeof value === 'number' && !words.has(name) && !dates.has(name) ? String(value) : value;
    if (typeof text !== 'string') others.push(fieldText(name, value));
    else if (isKeepable(name, text)) {
      if (dates.has(name)) cleaned[name] = isPlainDate(text) ? text : plainDateOf(text, calendar);
      // Trims ids as ledger imports do: an id with whitespace on only one side would never match.
      else cleaned[name] = words.has(name) || amounts.has(name) ? text : text.trim();
    } else {
      others.push(fieldText(name, value));
      if (problem === undefined || name === 'merchantOrderId') problem = `${name} ${NOT_KEEPABLE}`;
    }
  }
  // An undocumented text may contain a name, so only its digest is stored.
  if (others.length > 0) cleaned.others = sha256(others.sort().join('\n'));
  return { ...cleaned, problem: problem ?? null };
}

function plainDateOf(text: string, calendar: Calendar): string {
  const time = calendar.read(text);
  return time === undefined ? NO_DATE : new Date(time).toISOString();
}

const [BLANK, LAST_OF_ASCII] = [0x20, 0x7e];

/** Returns whether a text may begin or end with whitespace. */
function hasOuterBlanks(text: string): boolean {
  if (text === '') return false;
  const [first, last] = [text.charCodeAt(0), text.charCodeAt(text.length - 1)];
  if (first > BLANK && first <= LAST_OF_ASCII && last > BLANK && last <= LAST_OF_ASCII)
    return false;
  return text.trim() !== text;
}

function keyOf(record: unknown): string {
  return JSON.stringify(isObject(record) ? documentedFields.map((name) => record[name]) : null);
}
