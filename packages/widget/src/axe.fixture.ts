import axe from 'axe-core';
import { expect } from 'vitest';

/**
 * Checks an element with axe's rules. The pages in its frames have another origin and their own
 * tests; axe would wait half a second for each one's answer.
 */
export async function expectAccessible(element: Element): Promise<void> {
  const { violations } = await axe.run(element, { iframes: false, resultTypes: ['violations'] });
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`);
  expect(found).toEqual([]);
}
