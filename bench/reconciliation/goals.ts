/** A target figure of the program. */
interface Goal {
  name: string;
  is: number;
  least?: number;
  most?: number;
}

/** Prints each goal with its figure and whether it is met. */
export function goalLines(goals: readonly Goal[]): string[] {
  return goals.map(({ name, is, least = -Infinity, most = Infinity }) => {
    const bound = Number.isFinite(most) ? `at most ${most}` : `at least ${least}`;
    const isMet = is >= least && is <= most;
    return `${isMet ? 'met   ' : 'missed'}  ${name}: ${is}, ${bound}`;
  });
}
