/**
 * Kinds of files that are not line-based text. They are detected from the content, because the
 * extension (`.xls`, `.csv`) may be wrong.
 */
export type FileKind = 'xlsx' | UnreadableKind;
/** A kind that the project cannot read. */
export type UnreadableKind = keyof typeof fileKindAdvice;

/** For each kind of file, what it is and how to make it readable. */
export const fileKindAdvice = {
  xlsb: 'This is a binary Excel workbook (.xlsb): open it in Excel and save it as .xlsx.',
  xls: 'This is a workbook of an old Excel (.xls), or one with a password: open it in Excel, remove the password and save it as .xlsx.',
  'xml-workbook': 'This is a workbook of Excel 2003 (XML): open it in Excel and save it as .xlsx.',
  ods: 'This is a LibreOffice spreadsheet (.ods or .fods): open it in LibreOffice and save it as .xlsx.',
  numbers: 'This is a spreadsheet of Apple Numbers: export it as .xlsx or CSV.',
  html: 'This is a web page, also if its name ends in .xls: open it in a spreadsheet and save it as .xlsx. If it shows a login or an error, export the file again.',
  document:
    'This is a document, such as a PDF, from which amounts cannot be read reliably: export the same data as CSV or JSON.',
  camt: 'This is a bank statement in XML (camt.052, 053 or 054): export the transactions of the account as CSV, and assign its columns.',
  mt940:
    'This is a bank statement in MT940: export the transactions of the account as CSV, and assign its columns.',
  ofx: 'This is a bank statement in OFX (.ofx or .qfx): export the transactions of the account as CSV, and assign its columns.',
  qif: 'This is a bank statement in QIF: export the transactions of the account as CSV, and assign its columns.',
  xml: 'This is an XML file: export the same data as CSV or JSON.',
  parquet:
    'This is a Parquet file: export the table as CSV. Of this program’s exports, the `lines` as CSV are read again.',
  archive:
    'This is an archive, such as a ZIP: unpack it, and import one after another the files in it.',
} as const;

/** Media type of .xlsx files. */
export const WORKBOOK_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** Number of bytes at the start and at the end of a file that detection needs. */
export const FILE_KIND_BYTES = 262_144;

/** ZIP entries that identify a kind of file. */
const contents: [FileKind, RegExp][] = [
  ['ods', /^.{30}mimetypeapplication\/vnd\.oasis\.opendocument\.spreadsheet/s],
  ['xlsb', /xl\/workbook\.bin/],
  ['xlsx', /xl\//],
  ['document', /^.{30}mimetypeapplication\/|(?:word|ppt)\//s],
  ['numbers', /Index\/[\w/-]+\.iwa/],
];

/** Magic numbers in hexadecimal. */
const signatures: [FileKind | 'zip', string[]][] = [
  ['zip', ['504b0304', '504b0506', '504b0708']],
  // An OLE container, which may be a password-protected workbook. The others are Excel 2 to 4.
  ['xls', ['d0cf11e0a1b11ae1', '09000400', '09000600', '09020600', '09040600']],
  // gzip, Zstandard, 7z, RAR
  ['archive', ['1f8b', '28b52ffd', '377abcaf271c', '526172211a']],
  ['parquet', ['5041523115']],
];

const texts: [FileKind, RegExp][] = [
  ['document', /^\s*(?:%PDF-|\{\\rtf)/],
  ['mt940', /^\s*(?:\{1:F01|:20:)/],
  ['ofx', /^\s*(?:OFXHEADER:|(?:<\?xml[^>]*>\s*)?<(?:\?OFX\s|OFX>))/i],
  ['qif', /^\s*!(?:(?:Type|Option|Clear):|Account\s*[\r\n])/i],
  ['camt', /^\s*<[^]*?(?:xsd:camt\.05[234]|<(?:\w+:)?BkToCstmr)/],
  ['ods', /^\s*<\?xml[^<]*<office:document\s[^>]*opendocument\.spreadsheet"/],
  ['xml-workbook', /^\s*<\?[^]*?urn:schemas-microsoft-com:office:spreadsheet/],
  [
    'html',
    /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[^]*?-->\s*)*<(?:!doctype\s+html|(?:html|head|meta|title|body|style|script|div|table)[\s>])/i,
  ],
  ['xml', /^\s*<\?xml\s/],
];

/**
 * Returns the kind of a file, or undefined for text: CSV, JSON or NDJSON.
 * @param beginning its first bytes
 * @param end its last bytes, where the central directory of a ZIP archive is
 */
export function fileKindOf(
  beginning: Uint8Array,
  end: Uint8Array = new Uint8Array(),
): FileKind | undefined {
  const first = Array.from(beginning.subarray(0, 8), (byte) => byte.toString(16).padStart(2, '0'));
  const hex = first.join('');
  const signed = signatures.find(([, starts]) =>
    starts.some((start) => hex.startsWith(start)),
  )?.[0];
  const raw = latin1(beginning);
  if (signed === 'zip') return firstOf(contents, raw + latin1(end)) ?? 'archive';
  // Ignores a byte order mark, and the zero bytes between ASCII characters in UTF-16.
  const text = raw.replace(/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/, '').replaceAll('\0', '');
  return signed ?? firstOf(texts, text);
}

function firstOf(kinds: readonly [FileKind, RegExp][], text: string): FileKind | undefined {
  return kinds.find(([, pattern]) => pattern.test(text))?.[0];
}

/** Decodes one character per byte in any runtime. `TextDecoder` treats latin1 as Windows-1252. */
function latin1(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 8_192) {
    text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  }
  return text;
}
