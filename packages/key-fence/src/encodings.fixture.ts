import fc from 'fast-check';

/** Encodings that a build, a server or a person may apply: the inverse of the decodings. */
export interface Encoding {
  name: string;
  encode: (text: string) => string;
}

const hexOf = (character: string, digits: number) =>
  character.charCodeAt(0).toString(16).padStart(digits, '0');
const octalOf = (character: string) => character.charCodeAt(0).toString(8).padStart(3, '0');
const bytes = (text: string) => Buffer.from(text, 'latin1');
const separated = (separator: string) => (text: string) =>
  Array.from(text, (character) => hexOf(character, 2)).join(separator);

/** Encodings that rewrite a text in place. */
export const escapes: readonly Encoding[] = [
  { name: 'encodeURI', encode: encodeURI },
  { name: 'encodeURIComponent', encode: encodeURIComponent },
  { name: '%xx', encode: (text) => text.replace(/[^]/g, (c) => `%${hexOf(c, 2)}`) },
  { name: '%XX', encode: (text) => text.replace(/[^]/g, (c) => `%${hexOf(c, 2).toUpperCase()}`) },
  { name: 'JSON', encode: (text) => JSON.stringify(text) },
  { name: 'JSON, slashes', encode: (text) => JSON.stringify(text).replaceAll('/', '\\/') },
  { name: '\\uXXXX', encode: (text) => text.replace(/[^]/g, (c) => `\\u${hexOf(c, 4)}`) },
  { name: '\\u{X}', encode: (text) => text.replace(/[^]/g, (c) => `\\u{${hexOf(c, 1)}}`) },
  { name: '\\xXX', encode: (text) => text.replace(/[^]/g, (c) => `\\x${hexOf(c, 2)}`) },
  {
    name: 'HTML',
    encode: (text) =>
      text
        .replaceAll('&', '&amp;')
        .replaceAll('<', '&lt;')
        .replaceAll('>', '&gt;')
        .replaceAll('"', '&quot;')
        .replaceAll("'", '&#39;'),
  },
  { name: '&#x…;', encode: (text) => text.replace(/[^]/g, (c) => `&#x${hexOf(c, 1)};`) },
  { name: '\\ooo', encode: (text) => text.replace(/[^]/g, (c) => `\\${octalOf(c)}`) },
  { name: '\\u{0…}', encode: (text) => text.replace(/[^]/g, (c) => `\\u{${hexOf(c, 7)}}`) },
  { name: '&#x0…;', encode: (text) => text.replace(/[^]/g, (c) => `&#x${hexOf(c, 7)};`) },
  { name: '&#…', encode: (text) => text.replace(/[^]/g, (c) => `&#${c.charCodeAt(0)}`) },
  { name: '&#…;', encode: (text) => text.replace(/[^]/g, (c) => `&#${c.charCodeAt(0)};`) },
  { name: 'UTF-16', encode: (text) => Buffer.from(text, 'utf16le').toString('latin1') },
];

/** Encodings that produce a run of letters and digits. */
export const armors: readonly Encoding[] = [
  { name: 'hex', encode: (text) => bytes(text).toString('hex') },
  { name: 'HEX', encode: (text) => bytes(text).toString('hex').toUpperCase() },
  { name: 'hex, aa:bb', encode: separated(':') },
  { name: 'HEX, AA-BB', encode: (text) => separated('-')(text).toUpperCase() },
  { name: 'hex, aa bb', encode: separated(' ') },
  {
    // The format of `hexdump -C` and `xxd`: double spaces, and sixteen bytes per line.
    name: 'hex, lines of a dump',
    encode: (text) =>
      separated(' ')(text)
        .replace(/(?:.. ){8}/g, '$& ')
        .replace(/.{50}/g, '$&\n'),
  },
  { name: '[0xaa, 0xbb]', encode: (text) => `0x${separated(', 0x')(text)}` },
  {
    name: '[0XAA,0XBB]',
    encode: (text) =>
      `0X${separated(',0X')(text)}`.replace(/[a-f]/g, (digit) => digit.toUpperCase()),
  },
  {
    // A list that a formatter has wrapped.
    name: '[0xaa,\n 0xbb]',
    encode: (text) => `0x${separated(', 0x')(text)}`.replace(/(?:0x.., ){8}/g, '$&\r\n    '),
  },
  { name: "['aa', 'bb']", encode: (text) => `'${separated("', '")(text)}'` },
  { name: 'base64', encode: (text) => bytes(text).toString('base64') },
  { name: 'base64url', encode: (text) => bytes(text).toString('base64url') },
  {
    name: 'base64, wrapped',
    encode: (text) => bytes(text).toString('base64').replace(/.{64}/g, '$&\r\n'),
  },
  {
    // As in an SVG, or in an indented list of certificates.
    name: 'base64, wrapped and indented',
    encode: (text) => bytes(text).toString('base64').replace(/.{20}/g, '$&\n\t  '),
  },
];

/** Numbers separated by commas, as minifiers write `[0x61, 0x62]`. */
const codes = (text: string) => Array.from(text, (character) => character.charCodeAt(0));
export const lists: readonly Encoding[] = [
  { name: '[97,98]', encode: (text) => `[${codes(text).join()}]` },
  { name: '[97, 98]', encode: (text) => JSON.stringify(codes(text), null, 1) },
];

export const encodings = [...escapes, ...armors, ...lists];

const visible = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index));
const alphabets = [/[0-9a-f]/, /[0-9A-F]/, /[0-9A-Za-z]/, /[0-9A-Za-z._~+/=-]/, /[!-~]/].map(
  (alphabet) => visible.filter((character) => alphabet.test(character)),
);

/** Keys that a service may issue: any alphabet, long enough for a fingerprint. */
export const key = fc
  .constantFrom(...alphabets)
  .chain((alphabet) => {
    const unit = fc.constantFrom(...alphabet);
    return fc.string({ unit, minLength: 16, maxLength: 80 });
  })
  .filter((text) => new Set(text).size >= 6);

/** Surrounding text with one byte per character. */
export const surroundings = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.string({
    unit: fc.constantFrom(...Array.from('\\%&;/"\'xu0123456789abcdef\n{}')),
    maxLength: 60,
  }),
  fc.string({ unit: fc.constantFrom(...visible.slice(15)), maxLength: 60 }),
);
