import {
  hashedText,
  type KeptMessage,
  keptMessageSchema,
  type Programme,
  type ProgrammeFile,
  type Programmes,
  type ShownMessage,
} from '@financing-checkout/contract/storefront';
import { type Clock, systemClock } from '@financing-checkout/kit';
import { sha256 } from '../platform/id.ts';

/** The response to `GET /programmes`, with its strong entity tag (RFC 9110 8.8.3). */
export interface ProgrammeAnswer {
  body: string;
  etag: string;
}

interface Prepared extends ProgrammeAnswer {
  /** Period in which the response is valid, in milliseconds since 1970, both bounds inclusive. */
  from: number;
  until: number;
}

/**
 * The lenders' programmes that pages show, and every text that this companion has published since
 * it started.
 */
export class PublishedProgrammes {
  readonly #clock: Clock;
  readonly #texts = new Map<string, Omit<KeptMessage, keyof ShownMessage>>();
  #programmes: readonly Programme[] = [];
  #prepared: Prepared | undefined;
  #replacements = 0;
  #refusal: string | undefined;

  constructor(options: { clock?: Clock } = {}) {
    this.#clock = options.clock ?? systemClock;
  }

  /**
   * Why the last file was refused, so that the previous programmes stay published; undefined if it
   * was accepted.
   */
  get refusal(): string | undefined {
    return this.#refusal;
  }

  get size(): number {
    return this.#programmes.length;
  }

  /** Replaces the published programmes with those in a file. */
  async replace(file: ProgrammeFile): Promise<void> {
    const replacement = ++this.#replacements;
    const programmes = await Promise.all(file.programmes.map(withHashes));
    // A more recent file was hashed first.
    if (replacement !== this.#replacements) return;
    const now = this.#clock.now();
    for (const programme of programmes) if (endOf(programme) >= now) this.#remember(programme);
    this.#programmes = programmes;
    this.#prepared = undefined;
    this.#refusal = undefined;
  }

  /** Keeps the previous programmes, because the file is invalid. */
  refuse(reason: string): void {
    this.#replacements += 1;
    this.#refusal = reason;
  }

  /** Returns the programmes that have not ended, as JSON of the contract's `programmesSchema`. */
  async answer(): Promise<ProgrammeAnswer> {
    const now = this.#clock.now();
    const ready = this.#prepared;
    if (ready !== undefined && now >= ready.from && now <= ready.until) return ready;
    const programmes = this.#programmes;
    const prepared = await prepare(programmes, now);
    if (programmes === this.#programmes) this.#prepared = prepared;
    return prepared;
  }

  /**
   * Returns a message that a page reports as shown, with the text that this companion published
   * under the message's ids and hash. A page can report anything, so an unpublished message is
   * returned without a text.
   */
  keptMessage(shown: ShownMessage): KeptMessage {
    const published = this.#texts.get(nameOf(shown.programmeId, shown.textId, shown.sha256));
    return { ...shown, ...(published ?? { isPublished: false }) };
  }

  #remember(programme: Programme): void {
    const terms = keptMessageSchema.shape.programme.parse({
      ...programme,
      lenderId: programme.lender.id,
      lenderName: programme.lender.name,
    });
    for (const { id, sha256, language, text, disclosure } of programme.texts) {
      this.#texts.set(nameOf(programme.id, id, sha256), {
        isPublished: true,
        language,
        text,
        ...(disclosure && { disclosure }),
        programme: terms,
      });
    }
  }
}

async function prepare(programmes: readonly Programme[], now: number): Promise<Prepared> {
  const current = programmes.filter((programme) => endOf(programme) >= now);
  const answer: Programmes = { programmes: current };
  const body = JSON.stringify(answer);
  return {
    body,
    etag: `"${await sha256(body)}"`,
    from: now,
    until: Math.min(...current.map(endOf)),
  };
}

/** Returns when a programme ends, in milliseconds since 1970. */
function endOf({ validUntil }: Programme): number {
  return validUntil === undefined ? Infinity : Date.parse(validUntil);
}

function nameOf(programmeId: string, textId: string, hash: string): string {
  return `${programmeId} ${textId} ${hash}`;
}

async function withHashes(programme: ProgrammeFile['programmes'][number]): Promise<Programme> {
  const texts = programme.texts.map(async (text) => ({
    ...text,
    sha256: await sha256(hashedText(text)),
  }));
  return { ...programme, texts: await Promise.all(texts) };
}
