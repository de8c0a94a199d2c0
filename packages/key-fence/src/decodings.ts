import { alphabetOf, runs } from './runs.ts';

/** A string, and the decodings that produced it from the searched content. */
export interface View {
  text: string;
  /** From the outermost to the innermost; empty for the content itself. */
  encodings: readonly string[];
}

/** Lengths of the shortest and the longest key in the search. */
export interface Lengths {
  shortest: number;
  longest: number;
}

/**
 * Maximum number of nested encodings. Example for three: a base64 source map inlined into a chunk,
 * whose `sourcesContent` is JSON, whose text contains the key in another encoding.
 */
const deepest = 3;

/** Length of the longest encoding of one character: `&lbrack;`. */
const widest = 8;

/**
 * Yields each view of the content: the content itself, and the results of removing escapes and
 * encodings, including nested ones. Because the content is decoded, rather than the key encoded, a
 * fingerprint matches every form, including mixed spellings (`%2b`, `%2B`, `\u002B`).
 */
export function views(content: string, lengths: Lengths): Generator<View> {
  return viewsOf({ text: content, encodings: [] }, lengths);
}

function* viewsOf(view: View, lengths: Lengths): Generator<View> {
  yield view;
  const left = deepest - view.encodings.length;
  if (left === 0) return;
  const reach = lengths.longest * widest ** left;
  for (const { name, decode } of decodings) {
    for (const text of decode(view.text, lengths.shortest, reach)) {
      yield* viewsOf({ text, encodings: [...view.encodings, name] }, lengths);
    }
  }
}

interface Decoding {
  name: string;
  /**
   * @param shortest minimum length of a key in the decoded text
   * @param reach maximum length of an encoded key in `text`
   */
  decode: (text: string, shortest: number, reach: number) => Iterable<string>;
}

const decodings: readonly Decoding[] = [
  {
    // JSON (RFC 8259 7) and JavaScript strings, in which a backslash may continue a line and
    // classic scripts allow octal escapes (ECMA-262 B.1.2).
    name: 'string escapes',
    decode: unescaping(
      /\\(?:u\{0*([\da-fA-F]{1,6})\}|u([\da-fA-F]{4})|x([\da-fA-F]{2})|([0-3]?[0-7]{1,2})|(\r?\n)|([^]))/g,
      ([, braced, four, two, octal, newline, one = '']) =>
        newline
          ? ''
          : (character(braced ?? four ?? two, 16) ??
            character(octal, 8) ??
            controls.get(one) ??
            one),
    ),
  },
  {
    // RFC 3986 2.1, decoded one at a time: a malformed sequence must not hide the rest.
    name: 'URI encoding',
    decode: unescaping(/%([\da-fA-F]{2})/g, ([, code]) => character(code, 16)),
  },
  {
    // HTML standard, 13.5; browsers accept numeric references without a semicolon (13.2.5.80).
    name: 'HTML entities',
    decode: unescaping(
      /&(?:#[xX]0*([\da-fA-F]{1,6})(?![\da-fA-F]);?|#0*(\d{1,7})(?!\d);?|([A-Za-z]{2,6});)/g,
      ([, hex, decimal, name = '']) =>
        character(hex, 16) ?? character(decimal, 10) ?? entities.get(name),
    ),
  },
  { name: 'UTF-16', decode: unescaping(/\0/g, () => '') },
  { name: 'hex', decode: fromHex },
  { name: 'hex with separators', decode: fromSeparatedHex },
  { name: 'a list of numbers', decode: fromNumbers },
  { name: 'base64', decode: fromBase64 },
];

/**
 * Removes escapes. Returns the parts of the text with escapes and `reach` characters around them: a
 * key elsewhere contains no such escape, so the undecoded text already contains it.
 *
 * @param plain returns the character of an escape; undefined when it only looks like one
 */
function unescaping(
  escape: RegExp,
  plain: (match: RegExpExecArray) => string | undefined,
): Decoding['decode'] {
  return function* decode(text, _, reach) {
    let part = '';
    /** End of the text that has been added to `part` or skipped. */
    let done = 0;
    for (const match of text.matchAll(escape)) {
      const character = plain(match);
      if (character === undefined) continue;
      if (part !== '' && match.index - done > 2 * reach) {
        yield part + text.slice(done, done + reach);
        part = '';
      }
      part += text.slice(part === '' ? Math.max(done, match.index - reach) : done, match.index);
      part += character;
      done = match.index + match[0].length;
    }
    if (part !== '') yield part + text.slice(done, done + reach);
  };
}

const controls: ReadonlyMap<string, string> = new Map(
  Object.entries({ n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', v: '\v' }),
);

/** The named character references of visible ASCII. */
const entities: ReadonlyMap<string, string> = new Map(
  Object.entries({
    excl: '!',
    quot: '"',
    QUOT: '"',
    num: '#',
    dollar: '$',
    percnt: '%',
    amp: '&',
    AMP: '&',
    apos: "'",
    lpar: '(',
    rpar: ')',
    ast: '*',
    midast: '*',
    plus: '+',
    comma: ',',
    period: '.',
    sol: '/',
    colon: ':',
    semi: ';',
    lt: '<',
    LT: '<',
    equals: '=',
    gt: '>',
    GT: '>',
    quest: '?',
    commat: '@',
    lsqb: '[',
    lbrack: '[',
    bsol: '\\',
    rsqb: ']',
    rbrack: ']',
    Hat: '^',
    lowbar: '_',
    grave: '`',
    lcub: '{',
    lbrace: '{',
    verbar: '|',
    vert: '|',
    rcub: '}',
    rbrace: '}',
  }),
);

function character(digits: string | undefined, base: number): string | undefined {
  if (digits === undefined) return undefined;
  const code = Number.parseInt(digits, base);
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}

const hexDigits = alphabetOf('\\da-fA-F');
/** The alphabet of base64 and base64url (RFC 4648 4 and 5). */
const base64Digits = alphabetOf('\\w+/-');

/**
 * Hex, in upper or lower case. A run may start in the middle of a byte, so both offsets are tried.
 */
function* fromHex(text: string, shortest: number): Generator<string> {
  for (const run of runs(text, hexDigits, shortest * 2)) {
    for (const offset of [0, 1]) yield Buffer.from(run.slice(offset), 'hex').toString('latin1');
  }
}

const separators = `\\s:;,.'"_-`;
/** Separated hex bytes: `aa:bb`, `AA-BB`, lines of a dump, `[0xaa, 0xbb]`, `['aa', 'bb']`. */
const separatedHexDigits = alphabetOf(`\\da-fA-FxX${separators}`);
const separator = new RegExp(`(?<=[\\da-f]{2})(?:[${separators}]+(?:0x)?|0x)(?=[\\da-f]{2})`, 'gi');

function* fromSeparatedHex(text: string, shortest: number): Generator<string> {
  for (const run of runs(text, separatedHexDigits, shortest * 3 - 1)) {
    const joined = run.replace(separator, '');
    if (joined !== run) yield* fromHex(joined, shortest);
  }
}

const numberDigits = alphabetOf('\\d\\s,');

/** Decimal character codes: `[97, 98]`. Visible ASCII has two or three digits. */
function* fromNumbers(text: string, shortest: number): Generator<string> {
  for (const run of runs(text, numberDigits, shortest * 3 - 1)) {
    yield run.replace(/\D*(\d+)\D*/g, (_, code: string) => character(code, 10) ?? '');
  }
}

/**
 * The key may start at any of the three bytes of a group. If characters of the same alphabet precede
 * the run, it may start at any of the four characters of a group: four offsets cover all cases. Lines
 * are joined first, because base64 is often wrapped and indented.
 */
function* fromBase64(text: string, shortest: number): Generator<string> {
  const unwrapped = text.replace(/\r?\n[ \t]*(?=[\w+/-])/g, '');
  for (const run of runs(unwrapped, base64Digits, Math.ceil((shortest * 4) / 3))) {
    for (const offset of [0, 1, 2, 3]) {
      yield Buffer.from(run.slice(offset), 'base64').toString('latin1');
    }
  }
}
