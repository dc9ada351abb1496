const found = await tools.call("find", { pattern: "src/**/*.rs" });
const paths = found.content.split("\n").filter((line) => line.endsWith(".rs")).sort();
const files = await Promise.all(paths.map(async (path) => {
  const { content, metadata } = await tools.call("read", { path });
  return { path, lines: metadata.lines, syncs: content.includes("tokio::sync") };
}));
const functions = await tools.call("grep", { pattern: "pub fn ", path: "src", output: "count" });
const sum = files.reduce((all, file) => all + file.lines, 0);
const longest = [...files]
  .sort((a, b) => b.lines - a.lines || (a.path < b.path ? -1 : 1))
  .slice(0, 10);
const syncing = files.filter((file) => file.syncs);
const report = [
  `# ${files.length} files, ${sum} lines, ${functions.metadata.matches} \`pub fn\``,
  "", "## Longest", ...longest.map((file) => `- ${file.path}: ${file.lines}`),
  "", "## With tokio::sync", ...syncing.map((file) => `- ${file.path}`), "",
].join("\n");
await tools.call("write", { path: "report.md", content: report });
return `${files.length} files, ${syncing.length} with tokio::sync`;
