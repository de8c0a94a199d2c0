import { CommandFailure } from '@financing-checkout/kit/cli';
import type { Shell } from './shell.ts';

/** A question at the terminal. */
export interface Question<Answer> {
  text: string;
  /** Answers by their word; a beginning of the word is enough. */
  answers: Readonly<Record<string, Answer>>;
  /** What a no leaves, as a sentence. */
  afterNo: string;
}

/**
 * Asks until the person gives one of the answers.
 * @throws {CommandFailure} for a no, an empty line, Ctrl-C and the end of the input
 */
export async function answerTo<Answer>(
  prompt: NonNullable<Shell['prompt']>,
  { afterNo, answers, text }: Question<Answer>,
): Promise<Answer> {
  for (;;) {
    const typed = (await prompt(`${text} [no] `))?.trim().toLowerCase() ?? 'no';
    if (typed === '' || typed === 'no' || typed === 'n') throw new CommandFailure(afterNo);
    const found = Object.entries(answers).find(([word]) => word.startsWith(typed));
    if (found) return found[1];
  }
}
