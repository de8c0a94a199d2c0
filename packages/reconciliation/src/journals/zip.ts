import { once } from 'node:events';
import { createDeflateRaw } from 'node:zlib';
import { Zip, ZipPassThrough } from 'fflate';

/** A file in an archive. */
export interface ZippedFile {
  name: string;
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** ZIP compression method: DEFLATE. */
const DEFLATED = 8;

/** Compresses a file in one of Node's threads, which is faster than in JavaScript. */
class DeflatedFile extends ZipPassThrough {
  override compression = DEFLATED;
  readonly #deflate = createDeflateRaw({ level: 1 });
  readonly #ended = once(this.#deflate, 'end');

  constructor(name: string) {
    super(name);
    this.#deflate.on('data', (part: Uint8Array<ArrayBuffer>) => this.ondata(null, part, false));
    this.#deflate.on('end', () => this.ondata(null, new Uint8Array(), true));
  }

  protected override process(piece: Uint8Array, isLast: boolean): void {
    this.#deflate.write(piece);
    if (isLast) this.#deflate.end();
  }

  async write(content: ZippedFile['content']): Promise<void> {
    for await (const piece of content) {
      this.push(piece);
      if (this.#deflate.writableNeedDrain) await once(this.#deflate, 'drain');
    }
    this.push(new Uint8Array(), true);
    await this.#ended;
  }
}

/** Returns a ZIP file. @param at date of its files, in milliseconds since 1970 */
export async function zipped(files: Iterable<ZippedFile>, at: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  const archive = new Zip((error, part) => {
    if (error !== null) throw error;
    parts.push(part);
  });
  for (const { name, content } of files) {
    const file = new DeflatedFile(name);
    file.mtime = at;
    archive.add(file);
    await file.write(content);
  }
  archive.end();
  return Buffer.concat(parts);
}
