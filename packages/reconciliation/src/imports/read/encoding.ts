import { LedgerImportError } from '../import-error.ts';

/** Length in bytes of the longest byte order mark, UTF-8's. */
const MARK = 3;

/** Decodes bytes. A wrong encoding would change order ids. */
export async function* decoded(
  input: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  encoding: string | undefined,
): AsyncGenerator<string> {
  let decode: ReturnType<typeof textOf> | undefined;
  let beginning: Uint8Array = new Uint8Array();
  for await (const bytes of input) {
    if (decode) {
      yield decode(bytes);
      continue;
    }
    beginning = joined(beginning, bytes);
    if (beginning.length < MARK) continue;
    decode = textOf(beginning, encoding);
    yield decode(beginning);
  }
  decode ??= textOf(beginning, encoding);
  if (beginning.length < MARK) yield decode(beginning);
  yield decode();
}

function joined(before: Uint8Array, bytes: Uint8Array): Uint8Array {
  const all = new Uint8Array(before.length + bytes.length);
  all.set(before);
  all.set(bytes, before.length);
  return all;
}

/** Returns a decoder for a file that starts with these bytes. Calling it without a chunk ends it. */
function textOf(beginning: Uint8Array, named = 'utf-8'): (bytes?: Uint8Array) => string {
  const decoder = decoderOf(markedAs(beginning) ?? named);
  return (bytes) => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      throw new LedgerImportError(
        `The file is not ${decoder.encoding.toUpperCase()}: save it as UTF-8, or set \`encoding\` (such as windows-1252), and import it again.`,
      );
    }
  };
}

/** A byte order mark takes precedence over the declared encoding (Encoding Standard, 6.1). */
function markedAs([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : undefined;
}

/** Returns the encoding of a file that starts with these bytes. @throws {LedgerImportError} */
export function encodingOf(beginning: Uint8Array, named = 'utf-8'): string {
  return decoderOf(markedAs(beginning) ?? named).encoding;
}

/** @throws {LedgerImportError} for an unknown encoding */
export function decoderOf(encoding: string) {
  try {
    return new TextDecoder(encoding, { fatal: true });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new LedgerImportError(
      '`encoding` must be a label of the Encoding Standard, such as utf-8, windows-1252 or iso-8859-15.',
    );
  }
}
