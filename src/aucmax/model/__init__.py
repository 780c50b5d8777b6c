"""What estimators share: validation, the contract of scikit-learn, training loops, objectives and history."""
