import axe from 'axe-core';
import { expect } from 'vitest';

/**
 * Checks an element with the rules of axe. The pages in its frames are of another origin and have their own
 * tests; axe would wait half a second for the answer of each.
 */
export async function expectAccessible(element: Element): Promise<void> {
  const { violations } = await axe.run(element, { iframes: false, resultTypes: ['violations'] });
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`);
  expect(found).toEqual([]);
}
