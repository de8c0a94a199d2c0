import { createInterface } from 'node:readline';

type Terminal = Pick<NodeJS.ReadStream, 'isTTY'>;

/** Returns how to ask a person; undefined if input or output is no terminal, as in a pipe or in cron. */
export function promptOf(
  input: NodeJS.ReadableStream & Terminal,
  output: NodeJS.WritableStream & Terminal,
): ((question: string) => Promise<string | undefined>) | undefined {
  if (!input.isTTY || !output.isTTY) return undefined;
  return (question) =>
    new Promise((resolve) => {
      const lines = createInterface({ input, output, terminal: true });
      const end = (answer?: string) => {
        resolve(answer);
        lines.close();
      };
      // A terminal that is asked sends Ctrl-C as a key.
      lines.once('SIGINT', () => {
        output.write('\n');
        end();
      });
      lines.once('close', () => end());
      lines.question(question, end);
    });
}
