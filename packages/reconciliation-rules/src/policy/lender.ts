import type { Policy } from '../order/lines.ts';

/**
 * Returns the canonical name of a lender: `lenderName` may change for the same lender (reference:
 * Funding API). Aliases are followed; a cycle of aliases ends at its start.
 */
export function lenderOf(name: string, { aliases }: Pick<Policy, 'aliases'>): string {
  let known = name;
  for (let hops = 0; hops < 8; hops++) {
    const next = Object.hasOwn(aliases, known) ? aliases[known] : undefined;
    if (next === undefined || next === known) return known;
    known = next;
  }
  return known;
}

/** Returns every name of a lender, the canonical one first, given any of them. */
export function lenderNames(name: string, policy: Pick<Policy, 'aliases'>): string[] {
  const own = lenderOf(name, policy);
  const names = new Set([own, name, ...Object.keys(policy.aliases)]);
  return [...names].filter((other) => lenderOf(other, policy) === own);
}
