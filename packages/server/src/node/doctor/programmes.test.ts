import { expect, test } from 'vitest';
import { readProgrammeFile } from '../../programmes/file.ts';
import { fileOf, programmeOf } from '../../programmes/programmes.fixture.ts';
import { programmeFindings } from './programmes.ts';

const NOW = Date.UTC(2026, 10, 20);
const old = programmeOf('old', { validUntil: '2026-11-19T23:59:59Z' });
const tiny = programmeOf('tiny', { amount: { min: 10, max: 50_000 } });

function findingsOf(...programmes: Parameters<typeof fileOf>) {
  const text = fileOf(...programmes);
  const source = { path: 'programmes.json', text, file: readProgrammeFile(text) };
  const findings = programmeFindings({ programmeFile: source }, NOW);
  return findings.map(({ status, message }) => [status, message]);
}

test('warns that messages stay empty without a file, and names the variable', () => {
  const [finding, ...others] = programmeFindings({ programmeFile: undefined }, NOW);
  expect([finding?.status, finding?.message]).toEqual([
    'warning',
    'pages show no financing message: FINANCING_PROGRAMMES_FILE is not set',
  ]);
  expect(others).toEqual([]);
});

test('counts the programmes that pages show', () => {
  expect(findingsOf(programmeOf('a'), programmeOf('b'))).toEqual([
    ['ok', '2 programmes of programmes.json are published'],
  ]);
});

test('warns about programmes that have ended, and about amounts that are too small for their payments', () => {
  expect(findingsOf(old, tiny)).toEqual([
    ['ok', '1 programme of programmes.json is published'],
    ['warning', 'programmes that have ended: old'],
    ['warning', 'programmes whose smallest amount is too small for the number of payments: tiny'],
  ]);
});

test('warns when no programme is left', () => {
  expect(findingsOf(old)).toEqual([
    ['warning', 'pages show no financing message: each programme of programmes.json has ended'],
  ]);
  expect(findingsOf()).toEqual([
    ['warning', 'pages show no financing message: programmes.json has no programme'],
  ]);
});
