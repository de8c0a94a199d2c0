import { type Clock, isoTime } from '@financing-checkout/kit';
import type { Upload } from './receive.ts';

/** A running import or file check. */
export interface RunningImport {
  file?: string | undefined;
  by: string;
  /** Whether the file is only checked. */
  dryRun: boolean;
  /** `receiving` until the whole file has arrived. */
  state: 'receiving' | 'processing';
  receivedBytes: number;
  /** Size of the file; undefined if it was not declared. */
  totalBytes?: number | undefined;
  startedAt: string;
}

/** The imports running in this process, in the order in which they started. */
export class RunningImports {
  readonly #clock: Clock;
  readonly #running = new Set<RunningImport>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get all(): RunningImport[] {
    return [...this.#running];
  }

  /** Runs an import and tracks the progress of its upload. */
  async run<Result>(
    about: Pick<RunningImport, 'file' | 'by' | 'dryRun'>,
    upload: Upload,
    work: (upload: Upload) => Promise<Result>,
  ): Promise<Result> {
    const { declared = 0 } = upload;
    const running: RunningImport = {
      ...about,
      state: 'receiving',
      receivedBytes: 0,
      totalBytes: declared > 0 ? declared : undefined,
      startedAt: isoTime(this.#clock.now()),
    };
    async function* counted(): AsyncGenerator<Uint8Array> {
      for await (const piece of upload.pieces) {
        running.receivedBytes += piece.length;
        yield piece;
      }
      running.state = 'processing';
    }
    this.#running.add(running);
    try {
      return await work({ ...upload, pieces: counted() });
    } finally {
      this.#running.delete(running);
    }
  }
}
