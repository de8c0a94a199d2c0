import { LedgerImportError } from './columns.ts';

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
    if (beginning.length < 2) continue;
    decode = textOf(beginning, encoding);
    yield decode(beginning);
  }
  decode ??= textOf(beginning, encoding);
  if (beginning.length < 2) yield decode(beginning);
  yield decode();
}

/** What reads the pieces of a file that begins so; without a piece, its end. */
function textOf([first, second]: Uint8Array, named = 'utf-8'): (bytes?: Uint8Array) => string {
  const isLittle = first === 0xff && second === 0xfe;
  const isBig = first === 0xfe && second === 0xff;
  const encoding = isLittle ? 'utf-16le' : isBig ? 'utf-16be' : named;
  const decoder = decoderOf(encoding);
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
