import { expect, test } from 'vitest';
import { fewAtATime } from './few-at-a-time.ts';

const COUNT = 40;

function* numbers() {
  for (let number = 0; number < COUNT; number++) yield number;
}

// oxlint-disable-next-line typescript/require-await -- as a store that is asked for each
async function* claimed() {
  yield* numbers();
}

test.each([
  ['a list', () => [...numbers()].values()],
  ['items that are claimed one by one', claimed],
])('processes all of %s and then rethrows the first failure', async (_, of) => {
  const seen: number[] = [];
  const work = (number: number) => {
    seen.push(number);
    const fails = number % 2 === 1;
    return fails ? Promise.reject(new Error(`number ${number}`)) : Promise.resolve();
  };
  await expect(fewAtATime(of(), work)).rejects.toThrow('number 1');
  expect(seen.toSorted((one, other) => one - other)).toEqual([...numbers()]);
});
