// What a module of the page must keep, beyond running.
import js from "@eslint/js";
import globals from "globals";

export default [
  js.configs.recommended,
  { files: ["**/*.js"], languageOptions: { globals: globals.browser } },
  { files: ["editors/**/*.js"], languageOptions: { sourceType: "commonjs", globals: globals.node } },
  { files: ["**/*.mjs"], languageOptions: { globals: { ...globals.node, ...globals.browser } } },
  { rules: { eqeqeq: ["error", "smart"], "no-var": "off", "prefer-const": "error", "no-implicit-globals": "error", "no-shadow": ["error", { builtinGlobals: false }], "no-unused-expressions": "off" } },
  { files: ["**/intervals.js"], rules: { "no-shadow": "off" } },
];
