/** As much of a thread, or of a port to one, as is needed to ask it. */
interface Port {
  postMessage(message: unknown, transfer?: readonly ArrayBuffer[]): void;
}

interface Numbered {
  id: number;
  content: unknown;
}

/** Asks another thread, which answers with {@link answerTo}. */
export class Asker<Question, Answer> {
  readonly #port: Port;
  readonly #waiting = new Map<number, PromiseWithResolvers<Answer>>();
  #asked = 0;
  #failed: Error | undefined;

  constructor(port: Port) {
    this.#port = port;
  }

  /** To be given each message that comes from there. */
  hear(message: unknown): void {
    const { id, content } = message as Numbered;
    // The other side answers what it was asked.
    this.#waiting.get(id)?.resolve(content as Answer);
    this.#waiting.delete(id);
  }

  ask(question: Question): Promise<Answer> {
    if (this.#failed) return Promise.reject(this.#failed);
    const answered = Promise.withResolvers<Answer>();
    this.#waiting.set(++this.#asked, answered);
    this.#port.postMessage({ id: this.#asked, content: question } satisfies Numbered);
    return answered.promise;
  }

  /** Nobody answers any more, neither what has been asked nor what will be. */
  fail(error: Error): void {
    this.#failed ??= error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

/** Answers what another thread asks; `transfer` names the buffers that an answer hands over. */
export function answerTo<Answer>(
  port: Port & { on(event: 'message', listener: (message: unknown) => void): unknown },
  answer: (question: never) => Promise<Answer>,
  transfer: (answer: Answer) => readonly ArrayBuffer[] = () => [],
): void {
  port.on('message', (message) => {
    const { id, content } = message as Numbered;
    void answer(content as never).then((answered) => {
      port.postMessage({ id, content: answered } satisfies Numbered, transfer(answered));
    });
  });
}
