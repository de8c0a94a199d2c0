import js from '@eslint/js';
import lit from 'eslint-plugin-lit';
import litA11y from 'eslint-plugin-lit-a11y';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['**/dist/', '**/cdn/', '**/.data/', '**/node_modules/'] },
  js.configs.recommended,
  {
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    languageOptions: {
      globals: { process: 'readonly', console: 'readonly', URL: 'readonly' },
    },
  },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: {
      // Finds each file's project from the references of tsconfig.json.
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      // tsc answers this with more knowledge of the libraries in play.
      'no-undef': 'off',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/consistent-type-definitions': ['error', 'interface'],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      'no-console': 'error',
      eqeqeq: 'error',
    },
  },
  {
    // What the developer of a page must hear of goes to the browser's console.
    files: ['packages/widget/src/{report,define,doctor/doctor}.ts'],
    rules: { 'no-console': 'off' },
  },
  {
    // Programs whose output is the terminal.
    files: ['scripts/**', 'tests/**', 'bench/**', 'examples/**', '**/*.config.*'],
    rules: { 'no-console': 'off' },
  },
  {
    // Rules for Lit templates and their accessibility.
    files: ['packages/widget/src/**/*.ts'],
    extends: [lit.configs['flat/recommended'], litA11y.configs.recommended],
  },
);
