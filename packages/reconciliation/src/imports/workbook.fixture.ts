import { crc32, deflateRawSync } from 'node:zlib';

interface Entry {
  content: string | Uint8Array;
  /** Unpacked size in bytes as stated in the central directory. @default the size of the content */
  stated?: number;
}

/** Returns a ZIP with these entries. */
export function zipOf(entries: Readonly<Record<string, string | Entry>>): Uint8Array {
  const files: Buffer[] = [];
  const list: Buffer[] = [];
  let at = 0;
  for (const [path, entry] of Object.entries(entries)) {
    const { content, stated } = typeof entry === 'string' ? { content: entry } : entry;
    const data = Buffer.from(content);
    const packed = deflateRawSync(data);
    const name = Buffer.from(path);
    // Version, flags, method, time, date, checksum, sizes, length of the name.
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(data), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(stated ?? data.length, 18);
    common.writeUInt16LE(name.length, 22);
    const file = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, name, packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(at, 10);
    const version = Buffer.from('PK\x01\x02\x14\0', 'latin1');
    files.push(file);
    list.push(Buffer.concat([version, common, rest, name]));
    at += file.length;
  }
  const contents = Buffer.concat(list);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(list.length, 8);
  end.writeUInt16LE(list.length, 10);
  end.writeUInt32LE(contents.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...files, contents, end]);
}

const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packageNs = 'http://schemas.openxmlformats.org/package/2006';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';

/**
 * Returns the entries of a workbook.
 * @param sheets rows as XML, by sheet name; style 1 is a date
 */
export function workbookEntries(sheets: Readonly<Record<string, string>>): Record<string, string> {
  const names = Object.keys(sheets);
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${office}/${type}" Target="${target}"/>`;
  const entries: Record<string, string> = {
    '[Content_Types].xml': `<Types xmlns="${packageNs}/content-types"/>`,
    '_rels/.rels': `<Relationships xmlns="${packageNs}/relationships">${relation('rId1', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${office}"><sheets>${names
      .map((name, at) => `<sheet name="${name}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`)
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${packageNs}/relationships">${names
      .map((_, at) => relation(`rId${at + 1}`, 'worksheet', `worksheets/sheet${at + 1}.xml`))
      .join(
        '',
      )}${relation('rId90', 'styles', 'styles.xml')}${relation('rId91', 'sharedStrings', 'sharedStrings.xml')}</Relationships>`,
    'xl/styles.xml': `<styleSheet xmlns="${main}"><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>`,
    'xl/sharedStrings.xml': `<sst xmlns="${main}"><si><t>settle</t></si></sst>`,
  };
  names.forEach((name, at) => {
    entries[`xl/worksheets/sheet${at + 1}.xml`] =
      `<worksheet xmlns="${main}"><sheetData>${sheets[name]}</sheetData></worksheet>`;
  });
  return entries;
}

/** Returns a row of cells, each given as XML. */
export function row(number: number, ...cells: string[]): string {
  return `<row r="${number}">${cells.join('')}</row>`;
}

/** Returns a cell with an inline string. */
export function text(value: string): string {
  return `<c t="inlineStr"><is><t>${value}</t></is></c>`;
}
