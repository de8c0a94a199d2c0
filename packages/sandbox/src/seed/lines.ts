import { closeSync, writeSync } from 'node:fs';
import { finishFile, openNewFile, partialOf } from '../platform/write-file.ts';

/** Buffer size of a write, in characters. */
const CHUNK = 1_048_576;

/** A JSON Lines file. It gets its final name once it is complete. */
export class LineFile {
  readonly path: string;
  lines = 0;
  readonly #partial: string;
  readonly #descriptor: number;
  #chunk: string[] = [];
  #length = 0;

  constructor(path: string) {
    this.path = path;
    this.#partial = partialOf(path);
    this.#descriptor = openNewFile(this.#partial);
  }

  write(value: object): void {
    const line = `${JSON.stringify(value)}\n`;
    this.#chunk.push(line);
    this.#length += line.length;
    this.lines += 1;
    if (this.#length >= CHUNK) this.#flush();
  }

  /** Completes the file and renames it. */
  finish(): void {
    this.#flush();
    closeSync(this.#descriptor);
    finishFile(this.#partial, this.path);
  }

  #flush(): void {
    // A single call may write only part of the bytes.
    const bytes = Buffer.from(this.#chunk.join(''));
    for (let written = 0; written < bytes.length;) {
      written += writeSync(this.#descriptor, bytes, written);
    }
    this.#chunk = [];
    this.#length = 0;
  }
}
