import { CommandFailure } from '@financing-checkout/kit/cli';
import type { Shell } from './shell.ts';

export interface Question<Answer> {
  text: string;
  /** Answers, keyed by the word to type; a prefix of the word is enough. */
  answers: Readonly<Record<string, Answer>>;
  /** A sentence that states what stays unchanged if the user declines. */
  afterNo: string;
}

/**
 * Repeats the question until the user gives one of the answers.
 * @throws {CommandFailure} if the user declines, on an empty line, on Ctrl-C and at end of input
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
