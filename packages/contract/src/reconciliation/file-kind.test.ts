import { expect, test } from 'vitest';
import { type FileKind, fileKindAdvice, fileKindOf } from './file-kind.ts';

const bytes = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));
const utf16 = (text: string) =>
  bytes(`\xff\xfe${Array.from(text, (character) => `${character}\0`).join('')}`);
const entry = (name: string, content = '') => `PK\x03\x04${'\0'.repeat(26)}${name}${content}`;
const camt =
  '<?xml version="1.0"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt>';

test.each<[string, FileKind, Uint8Array]>([
  ['a workbook', 'xlsx', bytes(entry('[Content_Types].xml') + entry('xl/workbook.xml'))],
  ['a binary workbook', 'xlsb', bytes(entry('[Content_Types].xml') + entry('xl/workbook.bin'))],
  ['an .xls', 'xls', bytes('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1')],
  ['an .xls of 1990', 'xls', bytes('\x09\x04\x06\x00\x07\x00\x10\x00')],
  ['an .ods', 'ods', bytes(entry('mimetype', 'application/vnd.oasis.opendocument.spreadsheet'))],
  [
    'a flat .ods',
    'ods',
    bytes(
      '<?xml version="1.0"?>\n\n<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" office:mimetype="application/vnd.oasis.opendocument.spreadsheet">',
    ),
  ],
  ['a file of Numbers', 'numbers', bytes(entry('Index/Document.iwa'))],
  ['a text document', 'document', bytes(entry('[Content_Types].xml') + entry('word/document.xml'))],
  ['a PDF', 'document', bytes('%PDF-1.7\n')],
  ['a PDF below a byte order mark', 'document', bytes('\xef\xbb\xbf\r\n%PDF-1.4')],
  ['a ZIP', 'archive', bytes(entry('november.csv'))],
  ['an empty ZIP', 'archive', bytes('PK\x05\x06')],
  ['gzip', 'archive', bytes('\x1f\x8b\x08')],
  ['HTML', 'html', bytes('\r\n<!-- made by a shop --><table border=1><tr><th>Order</th>')],
  ['HTML with a doctype', 'html', bytes('\xef\xbb\xbf<!DOCTYPE HTML><html>')],
  ['XHTML', 'html', bytes('<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml">')],
  ['HTML in UTF-16', 'html', utf16('<html xmlns:x="urn:schemas-microsoft-com:office:excel">')],
  [
    'a workbook of Excel 2003',
    'xml-workbook',
    bytes('<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet">'),
  ],
  ['camt.053', 'camt', bytes(camt)],
  ['camt.053 with a prefix', 'camt', bytes('<n:Document><n:BkToCstmrStmt>')],
  ['another XML', 'xml', bytes('<?xml version="1.0"?><orders>')],
  ['MT940', 'mt940', bytes('\r\n:20:STARTUMS\r\n:25:12345678/0123456789\r\n')],
  ['MT940 with its envelope', 'mt940', bytes('{1:F01BANKDEFFXXXX0000000000}{2:I940')],
  ['OFX 1', 'ofx', bytes('\r\nOFXHEADER:100\r\nDATA:OFXSGML\r\nVERSION:102\r\n')],
  ['OFX 2', 'ofx', bytes('<?xml version="1.0"?>\n<?OFX OFXHEADER="200" VERSION="211"?>\n<OFX>')],
  ['OFX without a header', 'ofx', bytes('<OFX>\n<SIGNONMSGSRSV1>')],
  ['QIF', 'qif', bytes('!Type:Bank\nD2/3/26\nT-30.00\n^\n')],
  ['QIF with an account', 'qif', bytes('\xef\xbb\xbf!Account\r\nNChecking\r\n^\r\n')],
  ['Parquet', 'parquet', bytes('PAR1\x15\x04')],
])('recognizes %s by its first bytes', (_, kind, beginning) => {
  expect(fileKindOf(beginning)).toBe(kind);
});

test('detects a workbook by the central directory at the end of the ZIP archive', () => {
  const beginning = bytes(entry('docProps/thumbnail.jpeg'));
  expect(fileKindOf(beginning)).toBe('archive');
  expect(fileKindOf(beginning, bytes('PK\x01\x02xl/workbook.xml'))).toBe('xlsx');
});

test.each([
  '',
  'order,amount\nA-1,10.00\n',
  '\xef\xbb\xbforder;amount\n',
  'sep=;\norder;amount',
  '[{"order":"A-1"}]',
  '{"order":"A-1"}',
  'PK,amount\nPK-1,10.00\n',
  '!Account,amount\nA-1,10.00\n',
  'OFXHEADER,amount\nA-1,10.00\n',
  ' \n\n"Account statement"\norder,note\nA-1,<html>\n',
])('does not classify text: %j', (text) => {
  expect(fileKindOf(bytes(text))).toBeUndefined();
});

test.each(['xlsb', 'xls', 'xml-workbook', 'ods', 'numbers', 'html'] as const)(
  'advises to save the spreadsheet %s as .xlsx',
  (kind) => {
    expect(fileKindAdvice[kind]).toMatch(/(?:save|export) it as \.xlsx/);
  },
);

test('describes each kind and what to do with it', () => {
  for (const advice of Object.values(fileKindAdvice)) {
    expect(advice).toMatch(/^This is an? .+[:.] ?.*\b(?:save|export|unpack|ask)\b.*\.$/i);
  }
});
