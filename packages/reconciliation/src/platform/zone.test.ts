import { expect, test } from 'vitest';
import { isZone } from './zone.ts';

test('recognizes an invalid zone', () => {
  expect([isZone('Europe/Berlin'), isZone('Moon/Sea'), isZone('')]).toEqual([true, false, false]);
});
