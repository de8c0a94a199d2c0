import { beforeAll, describe, expect, it } from 'vitest';
import { mutants } from './mutants/mutants.ts';
import { proveConformance, type ConformanceProof } from './proof.ts';

describe('the proof', () => {
  let proof: ConformanceProof;
  beforeAll(async () => {
    proof = await proveConformance();
  }, 480_000);

  it('passes every checkable rule on the correct sandbox', () => {
    expect(proof.good.results.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
    expect(proof.unjudged).toEqual([]);
  });

  it('also passes them in process, which is how mutants are checked', () => {
    expect(proof.mutants[0]).toMatchObject({ mutant: 'no-mutant', red: [] });
  });

  it('has a mutant that breaks each rule', () => {
    expect(proof.untested).toEqual([]);
    expect(proof.good.passed).toBeGreaterThanOrEqual(60);
  });

  it.each(mutants.map(({ name, breaks }) => [name, breaks] as const))(
    'finds the mutant %s by exactly %j',
    (name, breaks) => {
      const red = proof.mutants.find(({ mutant }) => mutant === name)?.red ?? [];
      expect([...red].sort()).toEqual([...breaks].sort());
    },
  );
});
