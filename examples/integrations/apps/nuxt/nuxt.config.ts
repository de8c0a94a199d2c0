export default defineNuxtConfig({
  compatibilityDate: '2026-11-01',
  // Without this, Vue takes the tags for Vue components.
  vue: { compilerOptions: { isCustomElement: (tag) => tag.startsWith('financing-') } },
  typescript: { tsConfig: { vueCompilerOptions: { strictTemplates: true } } },
});
