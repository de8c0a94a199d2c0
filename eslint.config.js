import parser from '@typescript-eslint/parser';
import lit from 'eslint-plugin-lit';
import litA11y from 'eslint-plugin-lit-a11y';

/** Lit templates and their accessibility, and nothing else: all other rules are in .oxlintrc.json. */
export default [
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    ...lit.configs['flat/recommended'],
    files: ['packages/widget/src/**/*.ts'],
    languageOptions: { parser },
  },
  {
    ...litA11y.configs.recommended,
    files: ['packages/widget/src/**/*.ts'],
    // Each text is a `textContent`, which the rule does not see; axe checks each state in Chromium.
    rules: { ...litA11y.configs.recommended.rules, 'lit-a11y/accessible-name': 'off' },
  },
  {
    // An anchor without an address, which is no link, keeps Safari from linking telephone numbers.
    files: ['packages/widget/src/message/{dialog-view,view}.ts'],
    rules: { 'lit-a11y/anchor-is-valid': 'off' },
  },
];
