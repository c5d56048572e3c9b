-- Runs in Neovim with the settings of docs/editors.md. Does what a user would do in one menu, and
-- writes what happened as JSON to the file in $RESULT.
local result = {}
local patience = 120000
local function wait_for(what, condition)
  if not vim.wait(patience, condition, 50) then error("Neovim waited too long for " .. what) end
end
local function problems(buffer)
  return vim.tbl_map(function(one)
    return string.format("%d:%d %s %s", one.lnum, one.col, one.code, vim.split(one.message, "\n")[1])
  end, vim.diagnostic.get(buffer))
end
local function lines() return vim.api.nvim_buf_get_lines(0, 0, -1, false) end
local function request(method, line, column)
  vim.api.nvim_win_set_cursor(0, { line, column })
  local params = vim.lsp.util.make_position_params()
  for _, answer in pairs(vim.lsp.buf_request_sync(0, method, params, patience)) do
    return answer.result
  end
end

local function run()
  vim.cmd("edit ivrs/example.yaml")
  local menu = vim.api.nvim_get_current_buf()

  -- The file on disk has an unknown agent. A quick fix that is not saved corrects it.
  wait_for("diagnostics", function() return #vim.diagnostic.get(menu) > 0 end)
  result.diagnostics = problems(menu)
  vim.ui.select = function(choices, _, choose) choose(choices[1], 1) end
  vim.fn.search("Asha Ro")
  vim.lsp.buf.code_action()
  wait_for("the end of diagnostics", function() return #vim.diagnostic.get(menu) == 0 end)
  result.unsaved = vim.bo.modified

  -- Completion in the value of `recording`.
  local items = request("textDocument/completion", 4, #"recording: w")
  local words = vim.lsp.util.text_document_completion_list_to_complete_items(items, "w")
  result.completion = vim.tbl_map(function(one) return one.word end, words)

  vim.api.nvim_win_set_cursor(0, { 4, #"recording: w" })
  vim.lsp.buf.hover()
  wait_for("the hover window", function()
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(window).relative ~= "" then
        local buffer = vim.api.nvim_win_get_buf(window)
        result.hover = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
        vim.api.nvim_win_close(window, true)
        return true
      end
    end
  end)

  vim.lsp.buf.definition()
  wait_for("the definition", function() return vim.api.nvim_get_current_buf() ~= menu end)
  result.definition = { vim.fn.expand("%:t"), vim.api.nvim_get_current_line() }
  vim.cmd("buffer " .. menu)

  vim.cmd([[%s/  1: {/  1:      {/]])
  if vim.lsp.buf.format then
    vim.lsp.buf.format({ timeout_ms = patience })
  else
    vim.lsp.buf.formatting_sync(nil, patience)
  end
  result.formatted = lines()
end

local ok, problem = pcall(run)
if not ok then result.problem = problem end
vim.fn.writefile({ vim.fn.json_encode(result) }, vim.env.RESULT)
vim.cmd("qall!")
