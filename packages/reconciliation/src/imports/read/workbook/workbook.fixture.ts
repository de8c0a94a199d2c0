import { crc32, deflateRawSync } from 'node:zlib';

interface Entry {
  content: string | Uint8Array;
  /** Unpacked size in bytes according to the central directory. @default the size of the content */
  stated?: number;
}
export type Entries = Readonly<Record<string, string | Entry>>;

/**
 * How a program writes an archive:
 * - `plain`: the local header has the sizes, too.
 * - `streamed`: the local header has no sizes; they follow the data.
 * - `streamed-unsigned`: they follow without a signature.
 * - `streamed-long`: they follow in eight bytes each, as Apache POI 5 also writes small files.
 * - `zip64`: all sizes are in ZIP64 fields, as Commons Compress writes with `Zip64Mode.Always`.
 * - `zip64-seeked`: in the local header, too, as it writes to a file.
 * - `stored`: nothing is compressed.
 */
export type ZipForm =
  | 'plain'
  | 'streamed'
  | 'streamed-unsigned'
  | 'streamed-long'
  | 'zip64'
  | 'zip64-seeked'
  | 'stored';

const MAX_32 = 0xff_ff_ff_ff;
const STREAMED = 8;
const UTF_8 = 0x8_00;

/** An archive's parts, for tests that combine them differently. */
export interface ZipParts {
  /** Local headers and data. */
  data: Buffer;
  /** Records of the central directory, by entry. */
  records: Map<string, Buffer>;
}

/** Returns the parts of a ZIP with these entries. @param at position of the data in the file */
export function zipParts(entries: Entries, form: ZipForm = 'plain', at = 0): ZipParts {
  const files: Buffer[] = [];
  const records = new Map<string, Buffer>();
  let position = at;
  for (const [path, entry] of Object.entries(entries)) {
    const { content, stated } = typeof entry === 'string' ? { content: entry } : entry;
    const data = Buffer.from(content);
    const isStored = form === 'stored';
    const packed = isStored ? data : deflateRawSync(data);
    const name = Buffer.from(path);
    const isStreamed = form.startsWith('streamed') || form === 'zip64';
    const isLong = form.startsWith('zip64');
    const unpacked = stated ?? data.length;
    // Version, flags, method, time, date, checksum, sizes, length of name and extra field.
    const common = Buffer.alloc(26);
    common.writeUInt16LE(isLong || form === 'streamed-long' ? 45 : 20, 0);
    common.writeUInt16LE((isStreamed ? STREAMED : 0) | UTF_8, 2);
    common.writeUInt16LE(isStored ? 0 : 8, 4);
    const local = Buffer.from(common);
    common.writeUInt32LE(crc32(data), 10);
    common.writeUInt32LE(isLong ? MAX_32 : packed.length, 14);
    common.writeUInt32LE(isLong ? MAX_32 : unpacked, 18);
    if (!isStreamed) common.copy(local, 10, 10, 22);
    else if (isLong) common.copy(local, 14, 14, 22);
    for (const header of [common, local]) header.writeUInt16LE(name.length, 22);
    const localField = isLong ? zip64Field(isStreamed ? [0, 0] : [unpacked, packed.length]) : none;
    const field = isLong ? zip64Field([unpacked, packed.length, position], true) : none;
    local.writeUInt16LE(localField.length, 24);
    common.writeUInt16LE(field.length, 24);
    const trailer = isStreamed ? descriptor(form, crc32(data), packed.length, unpacked) : none;
    const file = Buffer.concat([signature('PK\x03\x04'), local, name, localField, packed, trailer]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(isLong ? MAX_32 : position, 10);
    files.push(file);
    records.set(path, Buffer.concat([signature('PK\x01\x02\x14\0'), common, rest, name, field]));
    position += file.length;
  }
  return { data: Buffer.concat(files), records };
}

const none = Buffer.alloc(0);

function signature(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}

/** Returns an entry's data descriptor: checksum and sizes after its data. */
function descriptor(form: ZipForm, sum: number, packed: number, unpacked: number): Buffer {
  const sizes = form === 'streamed-long' || form === 'zip64' ? longs([packed, unpacked]) : none;
  const short = Buffer.alloc(sizes.length > 0 ? 4 : 12);
  short.writeUInt32LE(sum, 0);
  if (sizes.length === 0) {
    short.writeUInt32LE(packed, 4);
    short.writeUInt32LE(unpacked, 8);
  }
  const signed = form === 'streamed-unsigned' ? none : signature('PK\x07\x08');
  return Buffer.concat([signed, short, sizes]);
}

/** Returns a ZIP64 field with these values, and the number of the disk. */
export function zip64Field(values: readonly number[], hasDisk = false): Buffer {
  const data = Buffer.concat([longs(values), Buffer.alloc(hasDisk ? 4 : 0)]);
  const header = Buffer.alloc(4);
  header.writeUInt16LE(1, 0);
  header.writeUInt16LE(data.length, 2);
  return Buffer.concat([header, data]);
}

function longs(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 8);
  values.forEach((value, at) => bytes.writeBigUInt64LE(BigInt(value), at * 8));
  return bytes;
}

export interface Directory {
  count: number;
  /** Size in bytes, and position. */
  size: number;
  from: number;
}

export function zipEnd({ count, from, size }: Directory): Buffer {
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(from, 16);
  return end;
}

/** Returns the ZIP64 end record of an archive, with its locator. @param at its position */
export function zip64End({ count, from, size }: Directory, at: number): Buffer {
  const end = Buffer.alloc(76);
  end.write('PK\x06\x06', 'latin1');
  longs([44]).copy(end, 4);
  end.writeUInt16LE(45, 12);
  end.writeUInt16LE(45, 14);
  longs([count, count, size, from]).copy(end, 24);
  end.write('PK\x06\x07', 56, 'latin1');
  longs([at]).copy(end, 64);
  end.writeUInt32LE(1, 72);
  return end;
}

export function zipOf(entries: Entries, form: ZipForm = 'plain'): Uint8Array {
  const { data, records } = zipParts(entries, form);
  const list = Buffer.concat([...records.values()]);
  const directory = { count: records.size, size: list.length, from: data.length };
  const long = form.startsWith('zip64')
    ? zip64End(directory, directory.from + directory.size)
    : none;
  return Buffer.concat([data, list, long, zipEnd(directory)]);
}

const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packageNs = 'http://schemas.openxmlformats.org/package/2006';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';

export interface Sheet {
  /** Rows as XML. */
  rows: string;
  /** XML before and after `sheetData`. */
  above?: string;
  below?: string;
  state?: 'hidden' | 'veryHidden';
  /** @default worksheet */
  type?: string;
}

/**
 * Returns the entries of a workbook.
 * @param sheets by name, or their rows as XML; style 1 is a date
 * @param workbook XML in the workbook, before and after its list of sheets
 */
export function workbookEntries(
  sheets: Readonly<Record<string, string | Sheet>>,
  workbook: { above?: string; below?: string } = {},
): Record<string, string> {
  const list = Object.entries(sheets).map(([name, sheet], at) => ({
    name,
    number: at + 1,
    ...(typeof sheet === 'string' ? { rows: sheet } : sheet),
  }));
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${office}/${type}" Target="${target}"/>`;
  const entries: Record<string, string> = {
    '[Content_Types].xml': `<Types xmlns="${packageNs}/content-types"/>`,
    '_rels/.rels': `<Relationships xmlns="${packageNs}/relationships">${relation('rId1', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${office}">${workbook.above ?? ''}<sheets>${list
      .map(
        ({ name, number, state = 'visible' }) =>
          `<sheet name="${name}" sheetId="${number}" state="${state}" r:id="rId${number}"/>`,
      )
      .join('')}</sheets>${workbook.below ?? ''}</workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${packageNs}/relationships">${list
      .map(({ number, type = 'worksheet' }) =>
        relation(`rId${number}`, type, `worksheets/sheet${number}.xml`),
      )
      .join(
        '',
      )}${relation('rId90', 'styles', 'styles.xml')}${relation('rId91', 'sharedStrings', 'sharedStrings.xml')}</Relationships>`,
    'xl/styles.xml': `<styleSheet xmlns="${main}"><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>`,
    'xl/sharedStrings.xml': `<sst xmlns="${main}"><si><t>settle</t></si></sst>`,
  };
  for (const { above = '', below = '', number, rows, type } of list) {
    entries[`xl/worksheets/sheet${number}.xml`] =
      type === undefined
        ? `<worksheet xmlns="${main}">${above}<sheetData>${rows}</sheetData>${below}</worksheet>`
        : `<${type} xmlns="${main}"/>`;
  }
  return entries;
}

/** Returns a row of the given cells, each in XML. */
export function row(number: number, ...cells: string[]): string {
  return `<row r="${number}">${cells.join('')}</row>`;
}

/** Returns a cell with an inline string. */
export function text(value: string): string {
  return `<c t="inlineStr"><is><t>${value}</t></is></c>`;
}
