import { LedgerImportError } from './columns.ts';

/** Bytes of the longest mark that a file begins with to say what it is written in: that of UTF-8. */
const MARK = 3;

/** Text of bytes; what is read in another encoding would be numbers of orders that do not exist. */
export async function* decoded(
  input: AsyncIterable<Uint8Array>,
  encoding: string | undefined,
): AsyncGenerator<string> {
  let decode: ReturnType<typeof textOf> | undefined;
  let beginning: Uint8Array = new Uint8Array();
  for await (const bytes of input) {
    if (decode) {
      yield decode(bytes);
      continue;
    }
    beginning = Uint8Array.from([...beginning, ...bytes]);
    if (beginning.length < MARK) continue;
    decode = textOf(beginning, encoding);
    yield decode(beginning);
  }
  decode ??= textOf(beginning, encoding);
  if (beginning.length < MARK) yield decode(beginning);
  yield decode();
}

/** What reads the pieces of a file that begins so; without a piece, its end. */
function textOf(beginning: Uint8Array, named = 'utf-8'): (bytes?: Uint8Array) => string {
  const decoder = decoderOf(markedAs(beginning) ?? named);
  return (bytes) => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      throw new LedgerImportError(
        `The file is not ${decoder.encoding.toUpperCase()}: save it as UTF-8, or say its encoding (such as windows-1252), and import it again.`,
      );
    }
  };
}

/** What a file says of itself goes before what is said of it (Encoding Standard, 6.1). */
function markedAs([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : undefined;
}

/** @throws {LedgerImportError} for an encoding that nobody knows */
export function decoderOf(encoding: string) {
  try {
    return new TextDecoder(encoding, { fatal: true });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new LedgerImportError(
      'The encoding must be one that browsers know, such as utf-8, windows-1252 or iso-8859-15.',
    );
  }
}
