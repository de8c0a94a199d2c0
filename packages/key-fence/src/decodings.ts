import { alphabetOf, runs } from './runs.ts';

/** A text, and by which decodings it came out of the content that is searched. */
export interface View {
  text: string;
  /** From the outside in; empty for the content itself. */
  encodings: readonly string[];
}

/** Lengths of the shortest and the longest key looked for. */
export interface Lengths {
  shortest: number;
  longest: number;
}

/**
 * How many encodings may lie around each other. Three is a base64 source map inlined into a chunk,
 * whose `sourcesContent` is JSON, whose text holds the key in one more encoding.
 */
const deepest = 3;

/** One encoding makes a character this many at most: `&lbrack;`. */
const widest = 8;

/**
 * Each text that the content can be read as: itself, and what comes out when escapes and encodings
 * are taken off, also one inside the other. Decoding the content, instead of encoding the key, is
 * what lets a fingerprint find every form, and covers mixed spellings (`%2b`, `%2B`, `\u002B`).
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
   * @param shortest No key in what comes out is shorter than this.
   * @param reach No key in `text` is longer than this, as it is written there.
   */
  decode: (text: string, shortest: number, reach: number) => Iterable<string>;
}

const decodings: readonly Decoding[] = [
  {
    // JSON (RFC 8259 7) and JavaScript strings, where a line may go on after a backslash, and in a
    // classic script a code may be octal (ECMA-262 B.1.2).
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
    // RFC 3986 2.1, one by one: a broken sequence must not hide the rest.
    name: 'URI encoding',
    decode: unescaping(/%([\da-fA-F]{2})/g, ([, code]) => character(code, 16)),
  },
  {
    // HTML standard, 13.5; a numeric one without its semicolon is read all the same (13.2.5.80).
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
 * Takes escapes off. What comes out are the parts of the text that have some, `reach` around them:
 * a key elsewhere is not written with this escape, so it was in the text before.
 *
 * @param plain What one stands for; undefined when it only looks like one.
 */
function unescaping(
  escape: RegExp,
  plain: (match: RegExpExecArray) => string | undefined,
): Decoding['decode'] {
  return function* decode(text, _, reach) {
    let part = '';
    /** Up to where the text is in `part`, or was left out. */
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

/** The named references of visible ASCII. */
const entities: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ excl: '!', quot: '"', QUOT: '"', num: '#', dollar: '$', percnt: '%', amp: '&', AMP: '&' },
    ...{ apos: "'", lpar: '(', rpar: ')', ast: '*', midast: '*', plus: '+', comma: ',' },
    ...{ period: '.', sol: '/', colon: ':', semi: ';', lt: '<', LT: '<', equals: '=', gt: '>' },
    ...{ GT: '>', quest: '?', commat: '@', lsqb: '[', lbrack: '[', bsol: '\\', rsqb: ']' },
    ...{ rbrack: ']', Hat: '^', lowbar: '_', grave: '`', lcub: '{', lbrace: '{', verbar: '|' },
    ...{ vert: '|', rcub: '}', rbrace: '}' },
  }),
);

function character(digits: string | undefined, base: number): string | undefined {
  if (digits === undefined) return undefined;
  const code = Number.parseInt(digits, base);
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}

const hexDigits = alphabetOf('\\da-fA-F');
/** Of base64 and base64url (RFC 4648 4 and 5). */
const base64Digits = alphabetOf('\\w+/-');

/** Upper, lower or mixed case. A run may start in the middle of a byte: both halves are tried. */
function* fromHex(text: string, shortest: number): Generator<string> {
  for (const run of runs(text, hexDigits, shortest * 2)) {
    for (const offset of [0, 1]) yield Buffer.from(run.slice(offset), 'hex').toString('latin1');
  }
}

const separators = `\\s:;,.'"_-`;
/** Bytes that are written apart: `aa:bb`, `AA-BB`, lines of a dump, `[0xaa, 0xbb]`, `['aa', 'bb']`. */
const separatedHexDigits = alphabetOf(`\\da-fA-FxX${separators}`);
const separator = new RegExp(`(?<=[\\da-f]{2})(?:[${separators}]+(?:0x)?|0x)(?=[\\da-f]{2})`, 'gi');

function* fromSeparatedHex(text: string, shortest: number): Generator<string> {
  for (const run of runs(text, separatedHexDigits, shortest * 3 - 1)) {
    const joined = run.replace(separator, '');
    if (joined !== run) yield* fromHex(joined, shortest);
  }
}

const numberDigits = alphabetOf('\\d\\s,');

/** Decimal codes of characters: `[97, 98]`. Visible ASCII has two digits or three. */
function* fromNumbers(text: string, shortest: number): Generator<string> {
  for (const run of runs(text, numberDigits, shortest * 3 - 1)) {
    yield run.replace(/\D*(\d+)\D*/g, (_, code: string) => character(code, 10) ?? '');
  }
}

/**
 * The key may start at any of the three bytes of a group, and the run at any of the four characters
 * of one, when what stands before it is of the same alphabet: four places to start find them all.
 * Lines are put together first: base64 is often wrapped, and moved in.
 */
function* fromBase64(text: string, shortest: number): Generator<string> {
  const unwrapped = text.replace(/\r?\n[ \t]*(?=[\w+/-])/g, '');
  for (const run of runs(unwrapped, base64Digits, Math.ceil((shortest * 4) / 3))) {
    for (const offset of [0, 1, 2, 3]) {
      yield Buffer.from(run.slice(offset), 'base64').toString('latin1');
    }
  }
}
