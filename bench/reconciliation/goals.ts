/** A target figure of the program. */
interface Goal {
  name: string;
  is: number;
  least?: number;
  most?: number;
}

/** Returns a line for each goal, with its figure: those that are met, then those that are missed. */
export function goalLines(goals: readonly Goal[]): string[] {
  const isMet = ({ is, least = -Infinity, most = Infinity }: Goal) => is >= least && is <= most;
  const lineOf =
    (word: string) =>
    ({ name, is, least, most }: Goal) =>
      `${word}  ${name}: ${is}, ${most === undefined ? `at least ${least}` : `at most ${most}`}`;
  const missed = goals.filter((goal) => !isMet(goal));
  return [...goals.filter(isMet).map(lineOf('met   ')), ...missed.map(lineOf('missed'))];
}
