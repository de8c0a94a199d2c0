import { expect, test } from 'vitest';
import { openLedger } from '../../keep/ledger.fixture.ts';
import { rowsIn } from './rows.fixture.ts';
import {
  type Directory,
  type Entries,
  row,
  text,
  workbookEntries,
  zip64End,
  zip64Field,
  zipEnd,
  type ZipForm,
  zipOf,
  zipParts,
} from './workbook.fixture.ts';

const options = { units: 'major', type: 'settle', currency: 'USD' } as const;
const rowsOf = (...orders: string[]) =>
  row(1, ...['merchantOrderId', 'amount', 'date'].map(text)) +
  orders
    .map((order, at) => row(at + 2, text(order), '<c><v>12.5</v></c>', '<c s="1"><v>46083</v></c>'))
    .join('');
const honest = workbookEntries({ Lines: rowsOf('A-1') });
const strange = workbookEntries({ Lines: rowsOf('B-1', 'B-2') });
const SHEET = 'xl/worksheets/sheet1.xml';
const SHARED = 'xl/sharedStrings.xml';
const MAX_32 = 0xff_ff_ff_ff;

async function ordersIn(file: Uint8Array): Promise<(string | undefined)[]> {
  return (await rowsIn(file, 'Lines')).slice(1).map(({ values }) => values[0]);
}

test.each<[string, ZipForm]>([
  ['states sizes in its local headers', 'plain'],
  ['writes sizes behind the data', 'streamed'],
  ['writes sizes behind the data without a signature', 'streamed-unsigned'],
  ['writes sizes behind the data in eight bytes', 'streamed-long'],
  ['writes ZIP64 for a small file', 'zip64'],
  ['writes ZIP64 for a small file, also in its local headers', 'zip64-seeked'],
  ['compresses nothing', 'stored'],
])('reads the file of a program that %s', async (_, form) => {
  expect(await ordersIn(zipOf(honest, form))).toEqual(['A-1']);
});

/** Returns an archive with another end. */
function endedBy(
  entries: Entries,
  end: (directory: Directory, at: number) => Buffer,
  form: ZipForm = 'plain',
): Buffer {
  const { data, records } = zipParts(entries, form);
  const list = Buffer.concat([...records.values()]);
  const directory = { count: records.size, size: list.length, from: data.length };
  return Buffer.concat([data, list, end(directory, data.length + list.length)]);
}

/** Returns an archive whose central directory is changed in one record. */
function changed(
  name: string,
  change: (record: Buffer) => Buffer | undefined,
  entries: Entries = honest,
  form: ZipForm = 'plain',
): Buffer {
  const { data, records } = zipParts(entries, form);
  const found = records.get(name) ?? Buffer.alloc(0);
  records.set(name, change(found) ?? found);
  const list = Buffer.concat([...records.values()]);
  const directory = { count: records.size, size: list.length, from: data.length };
  return Buffer.concat([data, list, zipEnd(directory)]);
}

/** Returns an archive with two central directories: the second one is for readers of ZIP64. */
function withTwoDirectories(
  end: (plain: Directory, long: Directory, at: number) => Buffer,
): Buffer {
  const one = zipParts(honest);
  const other = zipParts(strange, 'plain', one.data.length);
  const [first, second] = [one, other].map(({ records }) => Buffer.concat([...records.values()]));
  const from = one.data.length + other.data.length;
  const [size = 0, longSize = 0] = [first?.length, second?.length];
  const plain = { count: one.records.size, size, from: from + longSize };
  const long = { count: other.records.size, size: longSize, from };
  const parts = [one.data, other.data, second ?? Buffer.alloc(0), first ?? Buffer.alloc(0)];
  return Buffer.concat([...parts, end(plain, long, from + size + longSize)]);
}

// ZIP readers differ in how they read such archives: one size was checked, and another was
// unpacked.
test.each<[string, Uint8Array]>([
  [
    'whose end leaves the size of the directory to ZIP64, which has another directory',
    withTwoDirectories((plain, long, at) =>
      Buffer.concat([zip64End(long, at), zipEnd({ ...plain, size: MAX_32 })]),
    ),
  ],
  [
    'whose ZIP64 end has another directory than its plain end',
    withTwoDirectories((plain, long, at) => Buffer.concat([zip64End(long, at), zipEnd(plain)])),
  ],
  [
    'whose directory states no packed size, but the local header of a streamed entry does',
    changed(SHARED, (record) => {
      record.writeUInt16LE(8, 8);
      record.writeUInt32LE(0, 20);
      return undefined;
    }),
  ],
])('refuses to import an archive %s', async (_, file) => {
  const { run } = await openLedger();
  const report = await run(file, options);
  expect(report).toMatchObject({ applied: false, errors: [{ code: 'file-unreadable' }] });
  expect(report.errors[0]?.message).toMatch(/list of contents/);
});

test.each<[string, Uint8Array]>([
  [
    'whose end leaves the size of the directory to ZIP64, and has none',
    endedBy(honest, (directory) => zipEnd({ ...directory, size: MAX_32 })),
  ],
  [
    'whose ZIP64 end states more entries than its plain end',
    endedBy(honest, (directory, at) =>
      Buffer.concat([
        zip64End({ ...directory, count: directory.count + 1 }, at),
        zipEnd(directory),
      ]),
    ),
  ],
  [
    'whose ZIP64 end is beyond the file',
    endedBy(honest, (directory, at) =>
      Buffer.concat([zip64End(directory, at + 10 ** 15), zipEnd(directory)]),
    ),
  ],
  [
    'whose end states fewer entries than the directory has',
    endedBy(honest, (directory) => zipEnd({ ...directory, count: directory.count - 1 })),
  ],
  [
    'with a second directory in its comment',
    endedBy(honest, (directory) => {
      const end = zipEnd(directory);
      const comment = zipEnd({ count: 0, size: 0, from: 0 });
      end.writeUInt16LE(comment.length, 20);
      return Buffer.concat([end, comment]);
    }),
  ],
  [
    'with an entry whose ZIP64 field has another size',
    changed(SHEET, (record) => {
      const field = zip64Field([10 ** 12]);
      record.writeUInt16LE(field.length, 30);
      return Buffer.concat([record, field]);
    }),
  ],
  [
    'with an entry that has two ZIP64 fields',
    changed(SHEET, (record) => {
      const size = record.readUInt32LE(24);
      record.writeUInt32LE(MAX_32, 24);
      const fields = Buffer.concat([zip64Field([size]), zip64Field([size + 1])]);
      record.writeUInt16LE(fields.length, 30);
      return Buffer.concat([record, fields]);
    }),
  ],
  [
    'with an entry of another checksum',
    changed(SHEET, (record) => void record.writeUInt32LE(1, 16)),
  ],
  [
    'with an entry whose data are those of another one',
    changed(SHARED, (record) => void record.writeUInt32LE(0, 42)),
  ],
  ['with an entry that is encrypted', changed(SHEET, (record) => void record.writeUInt16LE(1, 8))],
  [
    'with an entry of an unknown compression',
    changed(SHEET, (record) => void record.writeUInt16LE(12, 10)),
  ],
  [
    'with two entries whose names differ in case alone',
    zipOf({ ...honest, 'xl/Worksheets/Sheet1.xml': strange[SHEET] ?? '' }),
  ],
  ['with bytes before it', Buffer.concat([Buffer.from('PK\x03\x04xl/'), zipOf(honest)])],
  ['with bytes behind it', Buffer.concat([zipOf(honest), Buffer.alloc(4)])],
])('refuses an archive %s', async (_, file) => {
  await expect(ordersIn(file)).rejects.toThrow(/list of contents/);
});

const SHARED_BYTES = 40_000_000;
const manyTexts = {
  ...honest,
  [SHARED]: `<sst><si><t>${'0'.repeat(SHARED_BYTES)}</t></si></sst>`,
  // Makes the archive large enough for its unpacked size.
  'xl/media/a.png': { content: crypto.getRandomValues(new Uint8Array(65_536)) },
};
const padded = Object.fromEntries(
  Array.from({ length: 20 }, (_, at) => [`xl/media/${at}.png`, manyTexts['xl/media/a.png']]),
);

test.each<[string, Uint8Array]>([
  ['shared texts above their limit', zipOf({ ...manyTexts, ...padded })],
  ['shared texts above their limit, in ZIP64', zipOf({ ...manyTexts, ...padded }, 'zip64')],
  ['parts that are forty times its size', zipOf(manyTexts)],
  [
    'an entry that leaves its size to a ZIP64 field, and has none',
    changed(SHEET, (record) => void record.writeUInt32LE(MAX_32, 24)),
  ],
])('refuses an archive with %s', async (_, file) => {
  await expect(ordersIn(file)).rejects.toThrow(/unpacks to more/);
});
