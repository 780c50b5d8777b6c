# Rscript proc.R: writes proc_inputs.csv and proc_outputs.csv beside itself (R, pROC)
suppressMessages(library(pROC))
set.seed(20)
number <- function(x) sprintf("%.17g", x)
cases <- list(
  continuous = list(n = 60, share = 0.4, shift = 1, digits = 9),
  ties       = list(n = 80, share = 0.3, shift = 1, digits = 0),
  few        = list(n = 14, share = 0.4, shift = 1, digits = 9),
  rare       = list(n = 200, share = 0.06, shift = 1.5, digits = 1),
  high       = list(n = 120, share = 0.5, shift = 3, digits = 2),
  low        = list(n = 90, share = 0.5, shift = -1, digits = 1)
)
inputs <- NULL
outputs <- NULL
for (name in names(cases)) {
  k <- cases[[name]]
  y <- as.integer(seq_len(k$n) <= max(4, round(k$share * k$n)))
  a <- round(rnorm(k$n) + k$shift * y, k$digits)
  b <- round(0.5 * a + rnorm(k$n) + 0.5 * k$shift * y, k$digits)
  half <- seq_len(k$n) %% 2 == 0
  inputs <- rbind(inputs, data.frame(case = name, y = y, a = number(a), b = number(b)))
  curve <- function(y, s) roc(y, s, levels = c(0, 1), direction = "<", quiet = TRUE)
  ra <- curve(y, a)
  rb <- curve(y, b)
  paired <- roc.test(ra, rb, method = "delong", paired = TRUE)
  unpaired <- roc.test(curve(y[half], a[half]), curve(y[!half], b[!half]), method = "delong", paired = FALSE)
  part <- function(range, focus, correct) {
    suppressWarnings(as.numeric(auc(ra, partial.auc = range, partial.auc.focus = focus, partial.auc.correct = correct)))
  }
  found <- c(
    auc_a = auc(ra), auc_b = auc(rb), var_a = var(ra), var_b = var(rb), cov = cov(ra, rb),
    z = unname(paired$statistic), p = paired$p.value,
    unpaired_t = unname(unpaired$statistic), unpaired_df = unname(unpaired$parameter), unpaired_p = unpaired$p.value,
    max_fpr_0.1 = part(c(1, 0.9), "specificity", FALSE), max_fpr_0.37 = part(c(1, 0.63), "specificity", FALSE),
    max_fpr_0.1_std = part(c(1, 0.9), "specificity", TRUE), max_fpr_0.37_std = part(c(1, 0.63), "specificity", TRUE),
    min_tpr_0.8 = part(c(1, 0.8), "sensitivity", FALSE), min_tpr_0.55 = part(c(1, 0.55), "sensitivity", FALSE),
    min_tpr_0.8_std = part(c(1, 0.8), "sensitivity", TRUE), min_tpr_0.55_std = part(c(1, 0.55), "sensitivity", TRUE)
  )
  outputs <- rbind(outputs, data.frame(case = name, quantity = names(found), value = number(found)))
}
write.csv(inputs, "proc_inputs.csv", row.names = FALSE, quote = FALSE)
write.csv(outputs, "proc_outputs.csv", row.names = FALSE, quote = FALSE)
