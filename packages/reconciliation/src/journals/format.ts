import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { minorUnitDigits } from '@financing-checkout/contract/money';
import {
  type Account,
  type AccountBalance,
  type JournalEntry,
  type JournalFile,
  type JournalLine,
  type JournalRefusal,
} from '@financing-checkout/contract/reconciliation';
import { appendToFile } from '@financing-checkout/kit/files';
import type { Chart } from '../config/chart.ts';
import { compareTexts } from '@financing-checkout/reconciliation-rules';
import type { TemporaryFiles } from '../platform/temporary-files.ts';

/** A published limit of a target, checked before anything is written. */
export interface JournalLimit {
  name: string;
  source: string;
  /**
   * Returns a check for the entries of one journal. The check returns an entry's refusals: reason
   * and remedy, without its values.
   */
  checkFor(chart: Chart): (entry: JournalEntry) => readonly string[];
}

/** The format of a target's journal files. */
export interface JournalFormat {
  title: string;
  /** Prefix of file names, if the target prescribes one. */
  prefix: string;
  ending: string;
  encoding: 'utf-8' | 'windows-1252';
  /** Maximum number of decimals in an amount; amounts are rounded to it. Undefined: no limit. */
  decimals: number | undefined;
  /** Maximum number of rows per file, without the header. An entry is never split. */
  maxRows: number;
  limits: readonly JournalLimit[];
  /** Returns the part of the file name that separates entries into files, such as their currency. */
  fileOf(entry: JournalEntry): string;
  /** Returns the start of a file with these entries. */
  head(file: FileHead, chart: Chart): string;
  /**
   * Returns an entry's rows, with line endings. Each account has the same sum as in the entry.
   * Empty if the entry changes none of the target's accounts.
   */
  rows(entry: JournalEntry, chart: Chart): string[];
}

/** Data for the header of a journal file. */
export interface FileHead {
  /** The result of {@link JournalFormat.fileOf}. */
  part: string;
  /** Dates of its first and last entry. */
  from: string;
  to: string;
  period: string;
  /** Time of writing, in milliseconds since 1970. */
  at: number;
  /** Accounts and currencies of its entries, in order of first use. */
  accounts: readonly Account[];
  currencies: readonly string[];
}

/** A journal file whose rows are in a temporary file. */
export interface WrittenFile extends JournalFile {
  head: Uint8Array;
  path: string;
}

/** Reads a file that was written. */
export async function* contentOf({ head, path }: WrittenFile): AsyncGenerator<Uint8Array> {
  yield head;
  yield* createReadStream(path, { highWaterMark: PIECE }) as AsyncIterable<Uint8Array>;
}

export interface WrittenJournal {
  files: WrittenFile[];
  refusals: JournalRefusal[];
  balances: AccountBalance[];
  entries: number;
  lines: number;
}

const EXAMPLES = 5;
/** Maximum number of characters per write to a file. */
const PIECE = 1_048_576;

const keys = new WeakMap<Account, string>();

/** Returns a unique key of an account. */
export function accountKey(account: Account): string {
  let key = keys.get(account);
  if (key === undefined) {
    key = `${account.type} ${account.number} ${account.name}`;
    keys.set(account, key);
  }
  return key;
}

/**
 * Writes a journal's entries as files for a target, or returns its refusals. Checks every entry,
 * and writes no files if any is refused. The rows are in temporary files, which the caller removes.
 * @param name start of the file names
 * @param paths receives the paths of the temporary files
 */
export async function writeJournal(
  entries: AsyncIterable<readonly JournalEntry[]>,
  {
    format,
    chart,
    period,
    name,
    at,
    folder,
    paths,
  }: {
    format: JournalFormat;
    chart: Chart;
    period: string;
    name: string;
    at: number;
    folder: Pick<TemporaryFiles, 'path'>;
    paths: string[];
  },
): Promise<WrittenJournal> {
  const limits = format.limits.map((limit) => ({
    name: limit.name,
    check: limit.checkFor(chart),
  }));
  const parts = new Map<string, FilePart[]>();
  const refusals = new Map<string, JournalRefusal>();
  const balances = new Balances();
  let [count, lines] = [0, 0];
  for await (const batch of entries) {
    for (const exact of batch) {
      const entry = rounded(exact, format.decimals, chart);
      count += 1;
      lines += entry.lines.length;
      balances.add(entry);
      if (entry.lines.length === 0) continue;
      for (const { name: limit, check } of limits) {
        for (const message of check(entry)) addRefusal(refusals, { limit, message, entry });
      }
      if (refusals.size > 0) continue;
      const rows = format.rows(entry, chart);
      if (rows.length === 0) continue;
      const part = format.fileOf(entry);
      const files = parts.get(part) ?? [];
      parts.set(part, files);
      let file = files.at(-1);
      if (file === undefined || file.rows + rows.length > format.maxRows) {
        await file?.flush();
        const path = folder.path('journal', '.rows');
        paths.push(path);
        file = new FilePart(path, format.encoding);
        files.push(file);
      }
      file.add(entry, rows);
      if (file.isFull) await file.flush();
    }
  }
  const found = {
    refusals: [...refusals.values()],
    balances: balances.list(),
    entries: count,
    lines,
  };
  if (refusals.size > 0) return { ...found, files: [] };
  const files: WrittenFile[] = [];
  for (const [part, own] of parts) {
    for (const [index, file] of own.entries()) {
      await file.flush();
      const number = own.length === 1 ? '' : `-${index + 1}`;
      const names = [name, part].filter(Boolean).join('-');
      const head = format.head({ part, period, at, ...file.described() }, chart);
      const written: WrittenFile = {
        name: `${format.prefix}${names}${number}.${format.ending}`,
        rows: file.rows,
        bytes: 0,
        sha256: '',
        head: bytesIn(head, format.encoding),
        path: file.path,
      };
      const hash = createHash('sha256');
      for await (const piece of contentOf(written)) {
        hash.update(piece);
        written.bytes += piece.byteLength;
      }
      files.push({ ...written, sha256: hash.digest('hex') });
    }
  }
  return { ...found, files };
}

/** The entries of one file. Rows go to a temporary file in chunks. */
class FilePart {
  readonly path: string;
  rows = 0;
  readonly #encoding: JournalFormat['encoding'];
  #texts: string[] = [];
  #length = 0;
  readonly #accounts = new Map<string, Account>();
  readonly #currencies = new Set<string>();
  #from = '';
  #to = '';

  constructor(path: string, encoding: JournalFormat['encoding']) {
    this.path = path;
    this.#encoding = encoding;
  }

  get isFull(): boolean {
    return this.#length > PIECE;
  }

  async flush(): Promise<void> {
    if (this.#texts.length === 0) return;
    const bytes = bytesIn(this.#texts.join(''), this.#encoding);
    [this.#texts, this.#length] = [[], 0];
    await appendToFile(this.path, bytes);
  }

  add({ date, currency, lines }: JournalEntry, rows: readonly string[]): void {
    for (const row of rows) {
      this.#texts.push(row);
      this.#length += row.length;
    }
    this.rows += rows.length;
    this.#currencies.add(currency);
    for (const { account } of lines) this.#accounts.set(accountKey(account), account);
    if (this.#from === '' || date < this.#from) this.#from = date;
    if (date > this.#to) this.#to = date;
  }

  described(): Pick<FileHead, 'from' | 'to' | 'accounts' | 'currencies'> {
    return {
      from: this.#from,
      to: this.#to,
      accounts: [...this.#accounts.values()],
      currencies: [...this.#currencies],
    };
  }
}

/** Debits and credits by account and currency. */
class Balances {
  readonly #byCurrency = new Map<string, Map<string, AccountBalance>>();

  add({ currency, lines }: JournalEntry): void {
    const sums = this.#byCurrency.get(currency) ?? new Map<string, AccountBalance>();
    this.#byCurrency.set(currency, sums);
    for (const { account, amount } of lines) {
      const key = accountKey(account);
      let sum = sums.get(key);
      if (sum === undefined) {
        sum = { account, currency, debit: 0, credit: 0 };
        sums.set(key, sum);
      }
      if (amount > 0) sum.debit += amount;
      else sum.credit -= amount;
    }
  }

  list(): AccountBalance[] {
    return [...this.#byCurrency.values()]
      .flatMap((sums) => [...sums.values()])
      .sort(
        (one, other) =>
          compareTexts(one.currency, other.currency) ||
          compareTexts(one.account.number, other.account.number),
      );
  }
}

function addRefusal(
  refusals: Map<string, JournalRefusal>,
  { limit, message, entry }: { limit: string; message: string; entry: JournalEntry },
): void {
  const { id, merchantOrderId } = entry;
  // A refused entry is in no file, so its ID alone does not help people find it.
  const example = merchantOrderId === undefined ? id : `${id} (order ${merchantOrderId})`;
  const found = refusals.get(`${limit} ${message}`);
  if (found === undefined) {
    refusals.set(`${limit} ${message}`, { limit, message, count: 1, examples: [example] });
    return;
  }
  found.count += 1;
  if (found.examples.length < EXAMPLES) found.examples.push(example);
}

/**
 * Rounds an entry's amounts to a maximum number of decimals; they remain in minor units. Rounding
 * differences, at most half a unit per line, go to the rounding account, so that the entry
 * balances. An entry below half a unit becomes empty.
 */
function rounded(entry: JournalEntry, decimals: number | undefined, chart: Chart): JournalEntry {
  const digits = minorUnitDigits(entry.currency);
  if (decimals === undefined || digits <= decimals) return entry;
  const unit = 10 ** (digits - decimals);
  const lines: JournalLine[] = [];
  let rest = 0;
  for (const line of entry.lines) {
    const amount = Math.sign(line.amount) * Math.round(Math.abs(line.amount) / unit) * unit;
    rest -= amount;
    if (amount !== 0) lines.push({ ...line, amount });
  }
  if (rest !== 0) {
    const { currency } = entry;
    const posted = { account: 'rounding', lender: '', currency, productType: undefined } as const;
    lines.push({ account: chart.account(posted), amount: rest, lender: '' });
  }
  return { ...entry, lines };
}

/** Windows-1252 bytes of the characters beyond ASCII. */
const windows1252 = new Map(
  Array.from(
    new TextDecoder('windows-1252').decode(Uint8Array.from({ length: 128 }, (_, i) => i + 128)),
    (character, index) => [character, index + 128],
  ),
);

/** Characters that have the same code in Windows-1252 and ISO 8859-1. */
const latin = /^[\0-\x7f\xa0-\xff]*$/;

/** Returns whether Windows-1252 contains all characters of a text. */
export function isWindows1252(text: string): boolean {
  return (
    latin.test(text) ||
    Array.from(text).every((character) => character <= '\x7f' || windows1252.has(character))
  );
}

function bytesIn(text: string, encoding: JournalFormat['encoding']): Uint8Array {
  if (encoding === 'utf-8') return Buffer.from(text, 'utf8');
  if (latin.test(text)) return Buffer.from(text, 'latin1');
  const bytes = Buffer.allocUnsafe(text.length);
  let length = 0;
  for (const character of text) {
    const code = character <= '\x7f' ? character.charCodeAt(0) : windows1252.get(character);
    if (code === undefined) throw new RangeError('A character is not in Windows-1252.');
    bytes[length++] = code;
  }
  return bytes.subarray(0, length);
}
